// Reductions and scans over the elements of a value.
#include "graph/build.hpp"

#include <sgmcmc/expression.hpp>

namespace sgmcmc {
namespace {

AxisView view_along(const Expression& x, std::int64_t axis, const char* what) {
  build::require_value(what, x);
  auto rank = static_cast<std::int64_t>(x.shape().rank());
  std::int64_t at = axis < 0 ? axis + rank : axis;
  if (at < 0 || at >= rank)
    build::fail(what, "axis " + std::to_string(axis) + " is not one of the operand's " + std::to_string(rank), {x});
  AxisView view;
  for (std::int64_t i = 0; i < rank; ++i) {
    auto dim = x.shape()[static_cast<std::size_t>(i)];
    if (i < at) view.outer *= dim;
    if (i == at) view.length = dim;
    if (i > at) view.inner *= dim;
  }
  return view;
}

Shape without_axis(const Shape& shape, std::int64_t axis) {
  auto dims = shape.dims();
  dims.erase(dims.begin() + (axis < 0 ? axis + static_cast<std::int64_t>(dims.size()) : axis));
  return Shape(std::move(dims));
}

Expression reduce_all(Op op, const Expression& x, const char* what) {
  build::require_value(what, x);
  if (x.shape().is_scalar()) return x;
  if (x.shape().size() == 0 && op != Op::sum) build::fail(what, "the operand has no elements", {x});
  AxisView view;
  view.length = x.shape().size();
  return build::along_axis(op, x, view, Shape{});
}

Expression reduce_axis(Op op, const Expression& x, std::int64_t axis, const char* what) {
  AxisView view = view_along(x, axis, what);
  if (view.length == 0 && op != Op::sum) build::fail(what, "the axis has no elements", {x});
  return build::along_axis(op, x, view, without_axis(x.shape(), axis));
}

Expression scan_last(Op op, const Expression& x, const char* what) {
  AxisView view = view_along(x, -1, what);
  return build::along_axis(op, x, view, x.shape());
}

}  // namespace

namespace build {

Expression along_axis(Op op, const Expression& x, AxisView axis, Shape shape) {
  Attributes attributes;
  attributes.axis = axis;
  return node(op, {x}, std::move(shape), std::move(attributes));
}

}  // namespace build

Expression sum(const Expression& x) { return reduce_all(Op::sum, x, "sum"); }
Expression sum(const Expression& x, std::int64_t axis) { return reduce_axis(Op::sum, x, axis, "sum"); }
Expression mean(const Expression& x) { return sum(x) / static_cast<double>(x.shape().size()); }
Expression maximum(const Expression& x) { return reduce_all(Op::reduce_max, x, "maximum"); }
Expression maximum(const Expression& x, std::int64_t axis) { return reduce_axis(Op::reduce_max, x, axis, "maximum"); }
Expression minimum(const Expression& x) { return -maximum(-x); }
Expression log_sum_exp(const Expression& x) { return reduce_all(Op::log_sum_exp, x, "log_sum_exp"); }
Expression log_sum_exp(const Expression& x, std::int64_t axis) {
  return reduce_axis(Op::log_sum_exp, x, axis, "log_sum_exp");
}
Expression softmax(const Expression& x) { return scan_last(Op::softmax, x, "softmax"); }
Expression log_softmax(const Expression& x) { return scan_last(Op::log_softmax, x, "log_softmax"); }
Expression cumulative_sum(const Expression& x) { return scan_last(Op::cumulative_sum, x, "cumulative_sum"); }

}  // namespace sgmcmc
