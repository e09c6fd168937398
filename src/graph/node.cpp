// Node lifetime, leaves and the basic builders.
#include "graph/node.hpp"

#include "graph/build.hpp"
#include "graph/leaves.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <new>

namespace sgmcmc {

Node::~Node() {
  // Takes over operands that only this node owns, so that destructors do not recurse along a deep chain.
  std::vector<Expression> pending = std::move(inputs);
  while (!pending.empty()) {
    Expression last = std::move(pending.back());
    pending.pop_back();
    if (last && last.pointer().use_count() == 1) {
      auto& owned = const_cast<Node&>(last.node());
      const std::size_t needed = pending.size() + owned.inputs.size();
      try {
        if (needed > pending.capacity()) pending.reserve(2 * needed);
      } catch (const std::bad_alloc&) {  // falls back to recursive destruction, while memory is being freed
        continue;
      }
      for (auto& input : owned.inputs) pending.push_back(std::move(input));
      owned.inputs.clear();
    }
  }
}

Expression::Expression(double value) : Expression(constant({value}, Shape{})) {}

const Shape& Expression::shape() const {
  build::require_value("shape", *this);
  return node_->shape;
}
bool Expression::per_row() const { return node_ && node_->per_row; }
ElementType Expression::type() const { return node_ ? node_->type : ElementType::real; }

std::string Expression::describe() const {
  if (!node_) return "an empty expression";
  std::string name = node_->attributes.name;
  if (name.empty()) {
    name = op_name(node_->op);
    if (node_->op == Op::constant && node_->shape.is_scalar()) name = std::to_string(node_->attributes.values->front());
    if (!node_->inputs.empty()) name += "(...)";
  }
  return name + ": " + (node_->per_row ? "per-row " : "global ") +
         (node_->op == Op::row_sparse           ? "sparse "
          : node_->type == ElementType::integer ? "integer "
                                                : "real ") +
         node_->shape.to_string();
}

Expression Expression::operator[](std::int64_t index) const {
  build::require_value("operator[]", *this);
  if (shape().is_scalar()) build::fail("operator[]", "a scalar has no elements to pick", {*this});
  auto part = slice(*this, index, 1);
  return reshape(part, Shape(std::vector<std::int64_t>(shape().dims().begin() + 1, shape().dims().end())));
}

Expression constant(std::vector<double> values, Shape shape) {
  if (static_cast<std::int64_t>(values.size()) != shape.size())
    throw ShapeError("constant: " + std::to_string(values.size()) + " values do not fill shape " + shape.to_string());
  Attributes attributes;
  attributes.values = std::make_shared<const std::vector<double>>(std::move(values));
  return build::node(Op::constant, {}, std::move(shape), std::move(attributes));
}

Expression constant(std::vector<double> values) {
  auto size = static_cast<std::int64_t>(values.size());
  return constant(std::move(values), Shape{size});
}

namespace {

Expression leaf(Op op, std::string name, Shape shape, bool per_row, ElementType type = ElementType::real) {
  auto made = std::make_shared<Node>();
  made->op = op;
  made->shape = std::move(shape);
  made->per_row = per_row;
  made->type = type;
  made->attributes.name = std::move(name);
  return Expression(std::move(made));
}

}  // namespace

Expression parameter_leaf(std::string name, Shape shape, std::int64_t offset, Point point) {
  Attributes attributes;
  attributes.name = std::move(name);
  attributes.offset = offset;
  attributes.point = point;
  return build::node(Op::parameter, {}, std::move(shape), std::move(attributes));
}
Expression row_real(std::string name, Shape shape) {
  return leaf(Op::row_real, std::move(name), std::move(shape), true);
}
Expression row_integer(std::string name, Shape shape) {
  return leaf(Op::row_integer, std::move(name), std::move(shape), true, ElementType::integer);
}
Expression row_sparse(std::string name, std::int64_t columns) {
  return leaf(Op::row_sparse, std::move(name), Shape{columns}, true);
}
Expression row_weight() { return leaf(Op::row_weight, "row weight", Shape{}, true); }

Expression row_sum(const Expression& x) {
  build::require_value("row_sum", x);
  if (!x.per_row()) build::fail("row_sum", "only per-row values can be summed over rows", {x});
  const Node& n = x.node();
  auto both_per_row = [&] { return n.inputs[0].per_row() && n.inputs[1].per_row(); };
  switch (n.op) {
    case Op::negate: return -row_sum(n.inputs[0]);
    case Op::reshape: return reshape(row_sum(n.inputs[0]), n.shape);
    case Op::multiply: {
      const Expression& a = n.inputs[0];
      const Expression& b = n.inputs[1];
      if (!a.per_row()) return a * row_sum(b);
      if (!b.per_row()) return row_sum(a) * b;
      if (a.shape().is_scalar() == b.shape().is_scalar()) break;
      const Expression& scale = a.shape().is_scalar() ? a : b;
      const Expression& array = a.shape().is_scalar() ? b : a;
      auto length = array.shape().size();
      auto summed =
          build::node(Op::row_sum_outer, {reshape(scale, Shape{1}), reshape(array, Shape{length})}, Shape{1, length});
      return reshape(summed, array.shape());
    }
    case Op::outer:
      if (!n.inputs[0].per_row()) return outer(n.inputs[0], row_sum(n.inputs[1]));
      if (!n.inputs[1].per_row()) return outer(row_sum(n.inputs[0]), n.inputs[1]);
      return build::node(Op::row_sum_outer, n.inputs, n.shape);
    case Op::scatter_rows:
      if (both_per_row()) return build::node(Op::row_sum_scatter, n.inputs, n.shape, n.attributes);
      break;
    case Op::sparse_scale:
      if (both_per_row()) return build::node(Op::row_sum_sparse_scale, n.inputs, n.shape);
      break;
    case Op::sparse_outer:
      if (both_per_row()) return build::node(Op::row_sum_sparse_outer, n.inputs, n.shape);
      break;
    default: break;
  }
  return build::node(Op::row_sum, {x}, n.shape);
}

namespace build {

Expression node(Op op, std::vector<Expression> inputs, Shape shape, Attributes attributes) {
  auto made = std::make_shared<Node>();
  made->op = op;
  if (!is_row_sum(op))
    made->per_row = std::any_of(inputs.begin(), inputs.end(), [](const Expression& x) { return x.per_row(); });
  made->inputs = std::move(inputs);
  made->shape = std::move(shape);
  made->attributes = std::move(attributes);
  return Expression(std::move(made));
}

void fail(const char* what, const std::string& why, const std::vector<Expression>& operands) {
  std::string text = std::string(what) + ": " + why;
  if (!operands.empty()) {
    text += " (";
    for (std::size_t i = 0; i < operands.size(); ++i) text += (i > 0 ? "; " : "") + operands[i].describe();
    text += ")";
  }
  throw ShapeError(text);
}

void require_value(const char* what, const Expression& x) {
  if (!x) fail(what, "an operand is an empty expression; give it a value first", {});
  if (x.node().op == Op::row_sparse && std::string(what) != "shape")
    fail(what, "sparse row data can only be used in dot and matmul", {x});
}

Expression zeros(const Shape& shape) {
  return constant(std::vector<double>(static_cast<std::size_t>(shape.size()), 0.0), shape);
}

bool is_constant(const Expression& x, double value) {
  if (!x || x.node().op != Op::constant) return false;
  const auto& values = *x.node().attributes.values;
  return std::all_of(values.begin(), values.end(), [value](double v) { return v == value; });
}

}  // namespace build
}  // namespace sgmcmc
