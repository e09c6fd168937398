// Selecting and arranging elements: all selections at fixed positions are takes.
#include "graph/build.hpp"

#include <sgmcmc/expression.hpp>

#include <numeric>

namespace sgmcmc {
namespace {

using Positions = std::vector<std::int64_t>;

Expression keep_type(Expression made, const Expression& source) {
  const_cast<Node&>(made.node()).type = source.type();
  return made;
}

Shape without_first(const Shape& shape) { return Shape(Positions(shape.dims().begin() + 1, shape.dims().end())); }

Shape with_first(std::int64_t first, const Shape& rest) {
  Positions dims{first};
  dims.insert(dims.end(), rest.dims().begin(), rest.dims().end());
  return Shape(std::move(dims));
}

}  // namespace

Expression take(const Expression& x, std::vector<std::int64_t> positions, Shape shape) {
  build::require_value("take", x);
  if (static_cast<std::int64_t>(positions.size()) != shape.size())
    build::fail("take", std::to_string(positions.size()) + " positions do not fill shape " + shape.to_string(), {x});
  bool identity = static_cast<std::int64_t>(positions.size()) == x.shape().size();
  for (std::size_t j = 0; j < positions.size(); ++j) {
    if (positions[j] < -1 || positions[j] >= x.shape().size())
      build::fail("take",
                  "position " + std::to_string(positions[j]) + " is outside the operand's " +
                      std::to_string(x.shape().size()) + " elements",
                  {x});
    identity = identity && positions[j] == static_cast<std::int64_t>(j);
  }
  if (identity) return reshape(x, std::move(shape));
  Attributes attributes;
  attributes.positions = std::make_shared<const Positions>(std::move(positions));
  return keep_type(build::node(Op::take, {x}, std::move(shape), std::move(attributes)), x);
}

Expression slice(const Expression& x, std::int64_t start, std::int64_t count) {
  build::require_value("slice", x);
  if (x.shape().is_scalar()) build::fail("slice", "a scalar has no axis to slice", {x});
  if (start < 0 || count < 0 || start + count > x.shape()[0])
    build::fail("slice",
                "entries " + std::to_string(start) + " to " + std::to_string(start + count - 1) +
                    " are outside the first axis of " + x.shape().to_string(),
                {x});
  Shape rest = without_first(x.shape());
  Positions positions(static_cast<std::size_t>(count * rest.size()));
  std::iota(positions.begin(), positions.end(), start * rest.size());
  return take(x, std::move(positions), with_first(count, rest));
}

Expression column(const Expression& matrix, std::int64_t index) {
  build::require_value("column", matrix);
  if (matrix.shape().rank() != 2 || index < 0 || index >= matrix.shape()[1])
    build::fail("column", "needs a matrix with more than " + std::to_string(index) + " columns", {matrix});
  Positions positions(static_cast<std::size_t>(matrix.shape()[0]));
  for (std::size_t i = 0; i < positions.size(); ++i)
    positions[i] = static_cast<std::int64_t>(i) * matrix.shape()[1] + index;
  return take(matrix, std::move(positions), Shape{matrix.shape()[0]});
}

Expression reshape(const Expression& x, Shape shape) {
  build::require_value("reshape", x);
  if (shape.size() != x.shape().size())
    build::fail("reshape", "cannot arrange " + x.shape().to_string() + " as " + shape.to_string(), {x});
  if (shape == x.shape()) return x;
  if (x.node().op == Op::reshape) return reshape(x.node().inputs[0], std::move(shape));
  return keep_type(build::node(Op::reshape, {x}, std::move(shape)), x);
}

Expression broadcast_to(const Expression& x, Shape shape) {
  build::require_value("broadcast_to", x);
  if (x.shape() == shape) return x;
  const Shape& from = x.shape();
  bool fits = from.rank() <= shape.rank();
  for (std::size_t i = 0; fits && i < from.rank(); ++i) {
    std::int64_t dim = from[from.rank() - 1 - i];
    fits = dim == 1 || dim == shape[shape.rank() - 1 - i];
  }
  if (!fits) build::fail("broadcast_to", "cannot repeat to shape " + shape.to_string(), {x});
  Positions positions(static_cast<std::size_t>(shape.size()));
  for (std::size_t flat = 0; flat < positions.size(); ++flat) {
    auto rest = static_cast<std::int64_t>(flat);
    std::int64_t position = 0;
    std::int64_t stride = 1;
    for (std::size_t i = 0; i < from.rank(); ++i) {
      std::int64_t out_dim = shape[shape.rank() - 1 - i];
      std::int64_t in_dim = from[from.rank() - 1 - i];
      if (in_dim != 1) position += (rest % out_dim) * stride;
      rest /= out_dim;
      stride *= in_dim;
    }
    positions[flat] = position;
  }
  return take(x, std::move(positions), std::move(shape));
}

Expression concatenate(const std::vector<Expression>& parts) {
  if (parts.empty()) build::fail("concatenate", "needs at least one part", {});
  for (const auto& part : parts) build::require_value("concatenate", part);
  Shape rest = parts[0].shape().is_scalar() ? Shape{} : without_first(parts[0].shape());
  std::int64_t length = 0;
  for (const auto& part : parts) {
    Shape part_rest = part.shape().is_scalar() ? Shape{} : without_first(part.shape());
    if (part_rest != rest) build::fail("concatenate", "parts differ beyond the first axis", {parts[0], part});
    length += part.shape().is_scalar() ? 1 : part.shape()[0];
  }
  if (parts.size() == 1) return reshape(parts[0], with_first(length, rest));
  return build::node(Op::concat, parts, with_first(length, rest));
}

Expression stack(const std::vector<Expression>& parts) {
  if (parts.empty()) build::fail("stack", "needs at least one part", {});
  std::vector<Expression> flat;
  for (const auto& part : parts) {
    build::require_value("stack", part);
    if (part.shape() != parts[0].shape()) build::fail("stack", "parts differ in shape", {parts[0], part});
    flat.push_back(part);
  }
  Shape shape = with_first(static_cast<std::int64_t>(parts.size()), parts[0].shape());
  if (flat.size() == 1) return reshape(flat[0], shape);
  return build::node(Op::concat, std::move(flat), shape);
}

Expression gather(const Expression& table, const Expression& index, std::int64_t base) {
  build::require_value("gather", table);
  build::require_value("gather", index);
  if (table.shape().is_scalar()) build::fail("gather", "the table is a scalar; it needs a first axis", {table, index});
  if (index.type() != ElementType::integer || !index.per_row())
    build::fail("gather", "the index must be integer row data; use take for fixed positions", {table, index});
  Shape rest = without_first(table.shape());
  Positions dims = index.shape().dims();
  dims.insert(dims.end(), rest.dims().begin(), rest.dims().end());
  Attributes attributes;
  attributes.offset = base;
  return build::node(Op::gather, {table, index}, Shape(std::move(dims)), std::move(attributes));
}

namespace build {

Expression scatter(const Expression& x, std::shared_ptr<const std::vector<std::int64_t>> positions, Shape shape) {
  Attributes attributes;
  attributes.positions = std::move(positions);
  return node(Op::scatter, {x}, std::move(shape), std::move(attributes));
}

Expression scatter_rows(const Expression& value, const Expression& index, Shape table_shape, std::int64_t base) {
  Attributes attributes;
  attributes.offset = base;
  return node(Op::scatter_rows, {value, index}, std::move(table_shape), std::move(attributes));
}

Expression repeat_along(const Expression& x, AxisView axis, Shape shape) {
  Positions positions(static_cast<std::size_t>(shape.size()));
  std::size_t flat = 0;
  for (std::int64_t o = 0; o < axis.outer; ++o)
    for (std::int64_t j = 0; j < axis.length; ++j)
      for (std::int64_t i = 0; i < axis.inner; ++i) positions[flat++] = o * axis.inner + i;
  return take(x, std::move(positions), std::move(shape));
}

}  // namespace build
}  // namespace sgmcmc
