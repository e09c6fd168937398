// What the interpreter computes with: numbers, or expressions of parameters, seen whole or row by row.
#pragma once

#include "data/array.hpp"
#include "stan/builtins/builtins.hpp"
#include "stan/builtins/type.hpp"

#include <sgmcmc/expression.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace sgmcmc::stan {

/// Numbers, shared until written to; a single one takes no memory of its own.
class Numbers {
 public:
  Numbers() = default;
  explicit Numbers(double single) : single_(single), size_(1) {}
  explicit Numbers(std::vector<double> values);
  /// Numbers that live elsewhere, as long as the owner does.
  Numbers(std::span<const double> values, std::shared_ptr<const void> owner);
  /// Those of a real or an integer array, which stay as they are.
  explicit Numbers(std::shared_ptr<const DataArray> array);
  /// 1, 2, ..., count; never a single number, so that there is an identity.
  static Numbers up_to(std::int64_t count);

  std::size_t size() const { return size_; }
  double operator[](std::size_t i) const {
    if (view_) return view_[i];
    if (floats_) return static_cast<double>(floats_[i]);
    if (integers_) return integers_[i];
    return sequence_ ? static_cast<double>(i + 1) : single_;
  }
  /// As doubles: numbers that stand in single precision, as integers or nowhere are written out by the first call.
  const double* data() const { return view_ ? view_ : is_narrow() ? widened() : &single_; }
  std::span<const double> view() const { return {data(), size_}; }
  double* writable();  ///< own memory, nobody else's
  /// The same for copies of the same numbers, as long as one of them lives; null for a single number.
  const void* identity() const {
    if (view_) return view_;
    if (floats_) return floats_;
    return integers_ ? static_cast<const void*>(integers_) : sequence_.get();
  }
  /// The array they stand in, where nothing was written to them since they were read; null otherwise.
  const DataArray* array() const { return array_.get(); }

 private:
  struct Sequence;
  bool is_narrow() const { return floats_ || integers_ || sequence_; }
  const double* widened() const;

  double single_ = 0;
  std::size_t size_ = 0;
  const double* view_ = nullptr;
  const float* floats_ = nullptr;           ///< of array_, where it is in single precision
  const std::int32_t* integers_ = nullptr;  ///< of array_, where it has integers
  std::shared_ptr<const Sequence> sequence_;
  std::shared_ptr<const void> owner_;
  std::shared_ptr<std::vector<double>> own_;
  std::shared_ptr<const DataArray> array_;
};

/// How a value stands to the row axis.
enum class Role : std::uint8_t {
  plain,  ///< not at all
  rows,   ///< a container whose first dimension counts the rows
  row,    ///< what a row has, inside a loop over rows
};

using Dims = std::vector<std::int64_t>;
std::int64_t size_of(const Dims& dims);

/// Scalar expressions that make up a container while it is filled element by element; empty ones are not set yet.
using Pieces = std::vector<Expression>;

struct Value {
  Type type;
  Dims dims;  ///< as the language sees it: array dimensions, then those of the base type
  Role role = Role::plain;
  bool set = true;  ///< false: declared, no value yet

  Numbers numbers;                 ///< data; role row: one stretch of size_of(dims) numbers for each row
  Expression symbol;               ///< depends on parameters
  std::shared_ptr<Pieces> pieces;  ///< likewise, element by element
  /// role rows: symbol has shape dims, rows included; otherwise it is what one row has.
  bool whole = false;
  /// A scalar may be a sum over the rows of this, plus what the rest says: only to be added to something.
  Expression row_sum;
  bool counts_rows = false;                 ///< an int that is the number of rows
  bool near_rows = false;                   ///< an int made of it by adding or subtracting
  std::shared_ptr<const DataArray> sparse;  ///< data, a sparse matrix: only to be multiplied with a vector
  int context = 0;                          ///< role row: the rows its numbers and columns stand for

  bool is_data() const { return !symbol && !pieces && !row_sum; }
  bool is_scalar() const { return dims.empty(); }
  double number() const { return numbers[0]; }
  std::int64_t integer() const { return static_cast<std::int64_t>(numbers[0]); }
};

Value real_value(double value);
Value integer_value(std::int64_t value);
Value number_value(Type type, Dims dims, Numbers numbers);
Value symbol_value(Type type, Dims dims, Expression symbol);
Value unset_value(Type type, Dims dims);

/// What one entry of the first dimension has.
Type element_type(const Type& type);

/// The expression of a value that is not data: pieces are put together.
Expression symbol_of(const Value& value);
/// The expression of any plain value or one row's: a constant where it is data (role row: not possible, see RowAxis).
Expression expression_of(const Value& value);
Operand operand_of(const Value& value);
Value value_of(const Operand& operand);
Shape shape_of(const Dims& dims);

}  // namespace sgmcmc::stan
