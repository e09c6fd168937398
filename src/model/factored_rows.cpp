// Looking for a product with a column in the graph of a gradient.
#include "model/factored_rows.hpp"

#include "graph/node.hpp"

namespace sgmcmc {
namespace {

struct Factors {
  Expression slope, column;
};

bool is_scalar(const Expression& x) { return x.shape().size() == 1; }

std::optional<Factors> factors_of(const Expression& x) {
  const Node& node = x.node();
  const auto input = [&](std::size_t k) { return node.inputs[k]; };
  switch (node.op) {
    case Op::row_real: return Factors{Expression(1.0), x};
    case Op::negate: {
      auto inner = factors_of(input(0));
      if (inner) inner->slope = -inner->slope;
      return inner;
    }
    case Op::multiply:
      for (const std::size_t k : {0, 1}) {
        if (!is_scalar(input(k)) || is_scalar(input(1 - k))) continue;
        auto inner = factors_of(input(1 - k));
        if (inner) inner->slope = input(k) * inner->slope;
        return inner;
      }
      return std::nullopt;
    case Op::add:
    case Op::subtract: {
      auto a = factors_of(input(0));
      const auto b = a ? factors_of(input(1)) : std::nullopt;
      if (!b || a->column.node().attributes.name != b->column.node().attributes.name) return std::nullopt;
      a->slope = node.op == Op::add ? a->slope + b->slope : a->slope - b->slope;
      return a;
    }
    default: return std::nullopt;
  }
}

}  // namespace

std::optional<FactoredRows> factor_rows(const std::vector<Expression>& gradients) {
  FactoredRows rows;
  for (const auto& gradient : gradients) {
    const std::int64_t size = gradient.shape().size();
    if (size == 1) {
      rows.parts.push_back({"", 1});
      rows.slopes.push_back(gradient);
      continue;
    }
    const auto factors = factors_of(gradient);
    if (!factors || factors->column.shape().size() != size) return std::nullopt;
    rows.parts.push_back({factors->column.node().attributes.name, size});
    rows.slopes.push_back(factors->slope);
  }
  return rows;
}

}  // namespace sgmcmc
