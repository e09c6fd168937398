// Operations that arrange elements: they move the axis of rows, and never drop or mix it.
#include "graph/node.hpp"
#include "traced/lowering.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sgmcmc::traced {
namespace {

/// Applies a function to the array without rows, or to both parts of a sum.
template <class Function>
Value on_parts(const Value& x, std::size_t row_axis, Function function) {
  if (x.is_global()) return Value::of_all(function(x.global));
  if (x.is_per_row()) return Value::of_row(function(x.row), row_axis);
  return Value::sum_of(function(x.row), x.global ? function(x.global) : Expression());
}

/// integers: axes to drop; none: all of size 1. The axis of rows stays, whatever its size.
Value squeeze(Lowering& lowering, const TracedNode& node, const Operands& operands) {
  const Value& x = operands[0];
  const Shape shape = x.shape(lowering.batch_rows());
  std::vector<bool> dropped(shape.rank(), false);
  for (const std::int64_t axis : node.integers) {
    const std::size_t at = axis_of(axis, shape.rank(), node.call);
    if (x.is_per_row() && at == x.row_axis) refuse(node.call, "the axis of rows cannot be dropped");
    if (shape[at] != 1)
      refuse(node.call, "axis " + std::to_string(axis) + " has size " + std::to_string(shape[at]) + ", not 1");
    dropped[at] = true;
  }
  std::vector<std::int64_t> dims;
  std::size_t row_axis = x.row_axis;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    if (x.is_per_row() && axis == x.row_axis) continue;
    if (node.integers.empty() ? shape[axis] == 1 : dropped[axis]) {
      if (axis < x.row_axis) --row_axis;
    } else {
      dims.push_back(shape[axis]);
    }
  }
  return on_parts(x, row_axis, [&](const Expression& e) { return reshape(e, Shape(dims)); });
}

/// integers: the new axis.
Value expand_dims(Lowering&, const TracedNode& node, const Operands& operands) {
  const Value& x = operands[0];
  const std::size_t at = axis_of(node.integers.at(0), x.rank() + 1, node.call);
  const bool before_rows = x.is_per_row() && at <= x.row_axis;
  const std::size_t own = x.is_per_row() && !before_rows ? at - 1 : at;
  return on_parts(x, x.row_axis + (before_rows ? 1 : 0),
                  [&](const Expression& e) { return reshape(e, with_axis(e.shape(), own, 1)); });
}

Value transpose_axes(Lowering&, const TracedNode& node, const Operands& operands) {
  const Value& x = operands[0];
  std::vector<std::size_t> axes;
  for (const std::int64_t axis : node.integers) axes.push_back(axis_of(axis, x.rank(), node.call));
  if (axes.empty())
    for (std::size_t axis = x.rank(); axis-- > 0;) axes.push_back(axis);
  if (axes.size() != x.rank()) refuse(node.call, "`perm` must name each axis once");
  std::vector<std::size_t> own;
  std::size_t row_axis = 0;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    if (x.is_per_row() && axes[k] == x.row_axis)
      row_axis = k;
    else
      own.push_back(x.is_per_row() && axes[k] > x.row_axis ? axes[k] - 1 : axes[k]);
  }
  return on_parts(x, row_axis, [&](const Expression& e) { return permuted(e, own); });
}

/// integers: the shape; one size may be -1.
Value reshape_to(Lowering& lowering, const TracedNode& node, const Operands& operands) {
  const Value& x = operands[0];
  const std::int64_t size = x.shape(lowering.batch_rows()).size();
  auto dims = node.integers;
  std::int64_t known = 1;
  for (const std::int64_t dim : dims) known *= dim < 0 ? 1 : dim;
  for (std::int64_t& dim : dims)
    if (dim < 0) dim = known == 0 ? 0 : size / known;
  if (Shape(dims).size() != size)
    refuse(node.call, "an array of shape " + x.shape(lowering.batch_rows()).to_string() + " cannot have shape " +
                          Shape(dims).to_string());
  if (!x.is_per_row()) return on_parts(x, 0, [&](const Expression& e) { return reshape(e, Shape(dims)); });
  // Axes of size 1 may be added or removed before the axis of rows; otherwise rows must be the first axis.
  const Shape from = x.shape(lowering.batch_rows());
  std::size_t leading = 0;
  while (leading < x.row_axis && from[leading] == 1) ++leading;
  std::size_t ahead = 0;
  while (ahead < dims.size() && dims[ahead] == 1 && lowering.batch_rows() != 1) ++ahead;
  if (leading < x.row_axis || ahead >= dims.size() || dims[ahead] != lowering.batch_rows())
    refuse(node.call, "the axis of rows must stay an axis of its own: reshape to c(n, ...), with the rows first");
  const auto own = without_axis(Shape(dims), ahead);
  return Value::of_row(reshape(x.row, own), ahead);
}

/// integers: for each axis begin, count and whether it is dropped.
Value slice_axes(Lowering& lowering, const TracedNode& node, const Operands& operands) {
  const Value& x = operands[0];
  if (x.is_summed() && x.row.shape().rank() == 0) refuse(node.call, sum_misused);
  const Shape shape = x.shape(lowering.batch_rows());
  if (node.integers.size() != 3 * shape.rank()) refuse(node.call, "an index for each axis was expected");
  std::vector<std::int64_t> begin, count, dims;
  std::size_t row_axis = x.row_axis;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    const std::int64_t first = node.integers[3 * axis], size = node.integers[3 * axis + 1];
    const bool drop = node.integers[3 * axis + 2] != 0;
    if (first < 0 || size < 1 || first + size > shape[axis])
      refuse(node.call, "an index is out of range: axis " + std::to_string(axis) + " has " +
                            std::to_string(shape[axis]) + " elements");
    if (x.is_per_row() && axis == x.row_axis) {
      if (first != 0 || size != shape[axis] || drop)
        refuse(node.call,
               "rows are picked by their place in the minibatch; rows change every step: put what picks "
               "them into `dataset`");
      continue;
    }
    begin.push_back(first);
    count.push_back(size);
    if (!drop) dims.push_back(size);
    if (drop && axis < x.row_axis) --row_axis;
  }
  return on_parts(x, row_axis, [&](const Expression& e) {
    std::vector<std::int64_t> positions;
    const std::int64_t total = Shape(count).size();
    for (std::int64_t flat = 0; flat < total; ++flat) {
      std::int64_t rest = flat, at = 0, stride = 1;
      for (std::size_t axis = count.size(); axis-- > 0;) {
        at += (begin[axis] + rest % count[axis]) * stride;
        stride *= e.shape()[axis];
        rest /= count[axis];
      }
      positions.push_back(at);
    }
    return total == e.shape().size() ? reshape(e, Shape(dims)) : take(e, std::move(positions), Shape(dims));
  });
}

/// The operands without rows, all of one rank, and where their rows are; refuses sums.
std::vector<Expression> beside_rows(Lowering& lowering, const TracedNode& node, const Operands& operands, bool& per_row,
                                    std::size_t& row_axis) {
  per_row = false;
  for (const auto& one : operands) {
    if (one.is_summed()) refuse(node.call, sum_misused);
    if (!one.is_per_row()) continue;
    if (per_row && one.row_axis != row_axis)
      refuse(node.call, "arrays whose rows lie along different axes meet; use tf$transpose or tf$squeeze");
    per_row = true;
    row_axis = one.row_axis;
  }
  std::vector<Expression> own;
  for (const auto& one : operands)
    own.push_back(one.is_global() && per_row && one.rank() > row_axis
                      ? without_rows(one, one.rank() - row_axis, node, lowering.batch_rows())
                      : one.own());
  return own;
}

/// integers: the axis.
Value concat(Lowering& lowering, const TracedNode& node, const Operands& operands) {
  bool per_row = false;
  std::size_t row_axis = 0;
  auto own = beside_rows(lowering, node, operands, per_row, row_axis);
  const std::size_t axis = axis_of(node.integers.at(0), operands[0].rank(), node.call);
  if (per_row && axis == row_axis) refuse(node.call, "rows cannot be appended to the rows of a minibatch");
  const std::size_t at = per_row && axis > row_axis ? axis - 1 : axis;
  for (auto& e : own) e = transpose_to_front(e, at);
  const Expression made = transpose_from_front(concatenate(own), at);
  return per_row ? Value::of_row(made, row_axis) : Value::of_all(made);
}

/// integers: the new axis.
Value stack_up(Lowering& lowering, const TracedNode& node, const Operands& operands) {
  bool per_row = false;
  std::size_t row_axis = 0;
  auto own = beside_rows(lowering, node, operands, per_row, row_axis);
  std::size_t rank = 0;
  for (const auto& one : operands) rank = std::max(rank, one.rank());
  const std::size_t axis = axis_of(node.integers.at(0), rank + 1, node.call);
  Shape shape = own[0].shape();
  for (const auto& e : own)
    if (e.shape().size() > shape.size()) shape = e.shape();
  for (auto& e : own)
    if (e.shape() != shape) e = broadcast_to(e, shape);
  const bool before = per_row && axis <= row_axis;
  const std::size_t at = per_row && !before ? axis - 1 : axis;
  const Expression made = transpose_from_front(stack(own), at);
  return per_row ? Value::of_row(made, row_axis + (before ? 1 : 0)) : Value::of_all(made);
}

/// The integers of a constant, used as fixed positions.
std::vector<std::int64_t> positions_in(const Expression& index, std::int64_t extent, const TracedNode& node) {
  std::vector<std::int64_t> all;
  for (const double one : *index.node().attributes.values) {
    if (one != std::floor(one) || one < 0 || one >= static_cast<double>(extent))
      refuse(node.call, "index " + std::to_string(one) + " is not one of 0 to " + std::to_string(extent - 1));
    all.push_back(static_cast<std::int64_t>(one));
  }
  return all;
}

/// Operands: the table and the index, counted from 0. integers: the axis of the table.
Value gather_rows(Lowering& lowering, const TracedNode& node, const Operands& operands) {
  const Value &table = operands[0], &index = operands[1];
  if (table.is_summed() || index.is_summed()) refuse(node.call, sum_misused);
  const std::size_t axis =
      axis_of(node.integers.empty() ? 0 : node.integers.front(), std::max<std::size_t>(1, table.rank()), node.call);
  if (table.is_per_row() && axis == table.row_axis)
    refuse(node.call,
           "rows are picked from the minibatch by their place; rows change every step: put what picks them "
           "into `dataset`");
  if (index.is_global()) {
    if (index.global.node().op != Op::constant) refuse(node.call, "an index must come from the data or be a constant");
    const std::size_t at = table.is_per_row() && axis > table.row_axis ? axis - 1 : axis;
    const auto positions = positions_in(index.global, table.own().shape()[at], node);
    const Expression front = transpose_to_front(table.own(), at);
    std::vector<Expression> parts;
    for (const std::int64_t one : positions) parts.push_back(front[one]);
    Expression made = transpose_from_front(stack(parts), at);
    if (index.global.shape().rank() == 0) made = reshape(made, without_axis(made.shape(), at));
    const std::size_t dropped = index.global.shape().rank() == 0 && axis < table.row_axis ? 1 : 0;
    if (index.global.shape().rank() > 1) refuse(node.call, "an index that is a constant has at most one axis");
    return table.is_per_row() ? Value::of_row(made, table.row_axis - dropped) : Value::of_all(made);
  }
  if (!table.is_global())
    refuse(node.call, "values of rows are picked by an index of rows; use tf$one_hot and tf$reduce_sum");
  if (axis != 0) refuse(node.call, "an index from the data picks along the first axis only; transpose the array");
  const Expression column = lowering.leaves().index_column(index.row, table.global.shape()[0], node.call);
  return Value::of_row(gather(table.global, column), index.row_axis);
}

/// integers: the number of classes. The new axis is the last.
Value one_hot(Lowering&, const TracedNode& node, const Operands& operands) {
  const Value& x = operands[0];
  if (x.is_summed()) refuse(node.call, sum_misused);
  std::vector<double> classes(static_cast<std::size_t>(node.integers.at(0)));
  std::iota(classes.begin(), classes.end(), 0.0);
  const Expression all = constant(std::move(classes));
  return on_parts(x, x.row_axis, [&](const Expression& e) {
    return equal(reshape(e, with_axis(e.shape(), e.shape().rank(), 1)), all);
  });
}

}  // namespace

const std::vector<NamedRule> arranging_rules = {
    {"squeeze", &squeeze},    {"expand_dims", &expand_dims}, {"transpose", &transpose_axes},
    {"reshape", &reshape_to}, {"slice", &slice_axes},        {"concat", &concat},
    {"stack", &stack_up},     {"gather", &gather_rows},      {"one_hot", &one_hot},
};

}  // namespace sgmcmc::traced
