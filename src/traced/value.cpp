// Shapes of traced values, and arrays with their axes moved.
#include "traced/value.hpp"

#include <sgmcmc/error.hpp>

#include <numeric>

namespace sgmcmc::traced {

Shape Value::shape(std::int64_t batch_rows) const {
  return is_per_row() ? with_axis(row.shape(), row_axis, batch_rows) : own().shape();
}

Shape without_axis(const Shape& shape, std::size_t axis) {
  auto dims = shape.dims();
  dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(axis));
  return Shape(dims);
}

Shape with_axis(const Shape& shape, std::size_t axis, std::int64_t size) {
  auto dims = shape.dims();
  dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(axis), size);
  return Shape(dims);
}

Expression permuted(const Expression& x, const std::vector<std::size_t>& axes) {
  const Shape& shape = x.shape();
  std::vector<std::int64_t> dims;
  bool same_order = true;
  std::size_t last = 0;
  for (const std::size_t axis : axes) {
    dims.push_back(shape[axis]);
    if (shape[axis] == 1) continue;  // moving it changes no order
    same_order = same_order && axis >= last;
    last = axis;
  }
  if (same_order) return Shape(dims) == shape ? x : reshape(x, Shape(dims));
  if (shape.rank() == 2) return transpose(x);
  std::vector<std::int64_t> strides(shape.rank(), 1);
  for (std::size_t axis = shape.rank(); axis-- > 1;) strides[axis - 1] = strides[axis] * shape[axis];
  std::vector<std::int64_t> positions(static_cast<std::size_t>(shape.size()));
  for (std::size_t flat = 0; flat < positions.size(); ++flat) {
    auto rest = static_cast<std::int64_t>(flat);
    for (std::size_t k = axes.size(); k-- > 0;) {
      positions[flat] += rest % dims[k] * strides[axes[k]];
      rest /= dims[k];
    }
  }
  return take(x, std::move(positions), Shape(dims));
}

Expression moved_last(const Expression& x, std::size_t axis) {
  std::vector<std::size_t> axes;
  for (std::size_t k = 0; k < x.shape().rank(); ++k)
    if (k != axis) axes.push_back(k);
  axes.push_back(axis);
  return permuted(x, axes);
}

Expression moved_back(const Expression& x, std::size_t axis) {
  std::vector<std::size_t> axes(x.shape().rank() - 1);
  std::iota(axes.begin(), axes.end(), 0);
  axes.insert(axes.begin() + static_cast<std::ptrdiff_t>(axis), axes.size());
  return permuted(x, axes);
}

Expression transpose_to_front(const Expression& x, std::size_t axis) {
  std::vector<std::size_t> axes{axis};
  for (std::size_t k = 0; k < x.shape().rank(); ++k)
    if (k != axis) axes.push_back(k);
  return permuted(x, axes);
}

Expression transpose_from_front(const Expression& x, std::size_t axis) {
  std::vector<std::size_t> axes;
  for (std::size_t k = 1; k < x.shape().rank(); ++k) axes.push_back(k);
  axes.insert(axes.begin() + static_cast<std::ptrdiff_t>(axis), 0);
  return permuted(x, axes);
}

std::size_t axis_of(std::int64_t axis, std::size_t rank, const std::string& call) {
  const auto size = static_cast<std::int64_t>(rank);
  if (axis < -size || axis >= size)
    refuse(call, "there is no axis " + std::to_string(axis) + " of an array with " + std::to_string(rank) +
                     (rank == 1 ? " axis" : " axes"));
  return static_cast<std::size_t>(axis < 0 ? axis + size : axis);
}

void refuse(const std::string& call, const std::string& why) {
  throw ModelError(call.empty() ? why : call + ": " + why);
}

}  // namespace sgmcmc::traced
