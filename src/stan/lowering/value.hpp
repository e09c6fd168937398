// Values of the interpreter: numbers or expressions, plain or per row.
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

/// Numbers with copy-on-write; a single number needs no allocation.
class Numbers {
 public:
  Numbers() = default;
  explicit Numbers(double single) : single_(single), size_(1) {}
  explicit Numbers(std::vector<double> values);
  /// Refers to external numbers, kept alive by the owner.
  Numbers(std::span<const double> values, std::shared_ptr<const void> owner);
  /// The numbers of a real or integer array, without a copy.
  explicit Numbers(std::shared_ptr<const DataArray> array);
  /// 1, 2, ..., count; never a single number, so that there is an identity.
  static Numbers up_to(std::int64_t count);

  std::size_t size() const { return size_; }
  double operator[](std::size_t i) const {
    if (view_) return view_[i];
    if (floats_) return static_cast<double>(floats_[i]);
    if (integers_) return integers_[i];
    if (narrow_) return integer_at(array_->type(), narrow_, static_cast<std::int64_t>(i));
    return sequence_ ? static_cast<double>(i + 1) : single_;
  }
  /// As doubles: the first call converts numbers that are stored in single precision, as integers, or implicitly.
  const double* data() const { return view_ ? view_ : is_narrow() ? widened() : &single_; }
  std::span<const double> view() const { return {data(), size_}; }
  double* writable();  ///< unshared memory
  /// Identifies copies of the same numbers, as long as one of them lives; null for a single number.
  const void* identity() const {
    if (view_) return view_;
    if (floats_) return floats_;
    if (narrow_) return narrow_;
    return integers_ ? static_cast<const void*>(integers_) : sequence_.get();
  }
  /// The original array, if the numbers are unmodified; null otherwise.
  const DataArray* array() const { return array_.get(); }

 private:
  struct Sequence;
  bool is_narrow() const { return floats_ || integers_ || narrow_ || sequence_; }
  const double* widened() const;

  double single_ = 0;
  std::size_t size_ = 0;
  const double* view_ = nullptr;
  const float* floats_ = nullptr;           ///< of array_, if in single precision
  const std::int32_t* integers_ = nullptr;  ///< of array_, if it has integers
  const std::byte* narrow_ = nullptr;       ///< of array_, if its integers have fewer than 32 bits
  std::shared_ptr<const Sequence> sequence_;
  std::shared_ptr<const void> owner_;
  std::shared_ptr<std::vector<double>> own_;
  std::shared_ptr<const DataArray> array_;
};

/// The role of a value on the row axis.
enum class Role : std::uint8_t {
  plain,  ///< none
  rows,   ///< a container whose first dimension counts the rows
  row,    ///< the value of one row, inside a loop over rows
};

using Dims = std::vector<std::int64_t>;
std::int64_t size_of(const Dims& dims);

/// Scalar expressions of a container that is filled element by element; empty: not yet set.
using Pieces = std::vector<Expression>;

struct Value {
  Type type;
  Dims dims;  ///< in the Stan language: array dimensions, then those of the base type
  Role role = Role::plain;
  bool set = true;  ///< false: declared, no value yet

  Numbers numbers;                 ///< data; role row: one stretch of size_of(dims) numbers for each row
  Expression symbol;               ///< depends on parameters
  std::shared_ptr<Pieces> pieces;  ///< likewise, element by element
  /// role rows: symbol has shape dims, including rows; otherwise it is the value of one row.
  bool whole = false;
  /// A scalar may be the sum of this over the rows, plus the rest: it can only be added to other values.
  Expression row_sum;
  bool counts_rows = false;                 ///< an int that is the number of rows
  bool near_rows = false;                   ///< an int computed from it by adding or subtracting
  std::shared_ptr<const DataArray> sparse;  ///< data, a sparse matrix: only to be multiplied with a vector
  int context = 0;                          ///< role row: the row context of its numbers and columns

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

/// The value of one entry of the first dimension.
Type element_type(const Type& type);

/// The expression of a value that is not data; joins pieces.
Expression symbol_of(const Value& value);
/// The expression of a plain or per-row value: a constant if it is data (not for role row, see RowAxis).
Expression expression_of(const Value& value);
Operand operand_of(const Value& value);
Value value_of(const Operand& operand);
Shape shape_of(const Dims& dims);

}  // namespace sgmcmc::stan
