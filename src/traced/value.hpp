// A traced array after lowering: a global value, one value per row, or a sum over rows. The kind follows from its
// origin, never from its size.
#pragma once

#include <sgmcmc/expression.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace sgmcmc::traced {

enum class Status : std::uint8_t {
  global,   ///< the same for all rows
  per_row,  ///< axis row_axis counts the rows of the minibatch
  summed,   ///< a sum over the rows of the minibatch, plus a global value
};

struct Value {
  Status status = Status::global;
  Expression row;     ///< per_row: without the axis of rows. summed: the term of one row
  Expression global;  ///< global: the value. summed: what is added to the sum; may be empty
  std::size_t row_axis = 0;
  /// global: axes along which it is known not to vary, as for tf$zeros(n) + mu; by axis, or empty.
  std::vector<bool> uniform;

  static Value of_all(Expression value) { return {Status::global, {}, std::move(value), 0, {}}; }
  static Value of_row(Expression value, std::size_t axis) { return {Status::per_row, std::move(value), {}, axis, {}}; }
  static Value sum_of(Expression row, Expression added = {}) {
    return {Status::summed, std::move(row), std::move(added), 0, {}};
  }

  bool is_global() const { return status == Status::global; }
  bool is_per_row() const { return status == Status::per_row; }
  bool is_summed() const { return status == Status::summed; }
  /// The expression without the axis of rows.
  const Expression& own() const { return is_global() ? global : row; }
  /// With the axis of rows.
  Shape shape(std::int64_t batch_rows) const;
  std::size_t rank() const { return own().shape().rank() + (is_per_row() ? 1 : 0); }
};

// Arrays without rows ------------------------------------------------------------------------------------------------
Expression permuted(const Expression& x, const std::vector<std::size_t>& axes);  ///< axis k of the result is axes[k]
Expression moved_last(const Expression& x, std::size_t axis);
Expression moved_back(const Expression& x, std::size_t axis);  ///< the last axis to this place
Expression transpose_to_front(const Expression& x, std::size_t axis);
Expression transpose_from_front(const Expression& x, std::size_t axis);  ///< the first axis to this place
Shape without_axis(const Shape& shape, std::size_t axis);
Shape with_axis(const Shape& shape, std::size_t axis, std::int64_t size);
/// axis: from 0, or negative from the end; throws ModelError if it is out of range.
std::size_t axis_of(std::int64_t axis, std::size_t rank, const std::string& call);
[[noreturn]] void refuse(const std::string& call, const std::string& why);  ///< throws ModelError

}  // namespace sgmcmc::traced
