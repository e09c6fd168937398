// Composition rules of disciplined convex programming (Grant, Boyd & Ye 2006). The signs of data are not used, so the
// curvature of data times a nonlinear function is unknown.
#include "model/concave.hpp"

#include "graph/differentiate.hpp"
#include "graph/node.hpp"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace sgmcmc {
namespace {

enum class Bend : std::uint8_t { fixed, linear, convex, concave, unknown };

Bend negated(Bend x) {
  if (x == Bend::convex) return Bend::concave;
  if (x == Bend::concave) return Bend::convex;
  return x;
}

Bend added(Bend a, Bend b) {
  if (a == Bend::fixed) return b;
  if (b == Bend::fixed || a == b) return a;
  if (a == Bend::linear && b != Bend::unknown) return b;
  if (b == Bend::linear && a != Bend::unknown) return a;
  return Bend::unknown;
}

/// 1 if x is a constant with no negative element, -1 if it is a constant with no positive element, else 0.
int sign_of(const Expression& x) {
  const Node& node = x.node();
  if (node.op != Op::constant || !node.attributes.values) return 0;
  const auto& values = *node.attributes.values;
  if (std::all_of(values.begin(), values.end(), [](double v) { return v >= 0; })) return 1;
  return std::all_of(values.begin(), values.end(), [](double v) { return v <= 0; }) ? -1 : 0;
}

class Judge {
 public:
  Bend of(const Expression& x) {
    for (const auto& each : topological_order({x}))
      if (!known_.contains(&each.node())) known_[&each.node()] = judged(each.node());
    return known_.at(&x.node());
  }

 private:
  Bend input(const Node& node, std::size_t k) const { return known_.at(&node.inputs[k].node()); }

  Bend scaled(const Node& node, std::size_t factor, std::size_t other) const {
    const Bend shape = input(node, other);
    if (shape == Bend::fixed || shape == Bend::linear) return shape;
    const int sign = sign_of(node.inputs[factor]);
    return sign > 0 ? shape : sign < 0 ? negated(shape) : Bend::unknown;
  }
  Bend of_linear(const Node& node, Bend shape) const {
    const Bend inner = input(node, 0);
    return inner == Bend::fixed ? Bend::fixed : inner == Bend::linear ? shape : Bend::unknown;
  }

  Bend judged(const Node& node) const {
    if (node.op == Op::parameter) return Bend::linear;
    if (std::all_of(node.inputs.begin(), node.inputs.end(),
                    [&](const Expression& each) { return known_.at(&each.node()) == Bend::fixed; }))
      return Bend::fixed;
    switch (node.op) {
      case Op::negate: return negated(input(node, 0));
      case Op::add: return added(input(node, 0), input(node, 1));
      case Op::subtract: return added(input(node, 0), negated(input(node, 1)));
      case Op::multiply:
        if (input(node, 0) == Bend::fixed) return scaled(node, 0, 1);
        return input(node, 1) == Bend::fixed ? scaled(node, 1, 0) : Bend::unknown;
      case Op::divide: return input(node, 1) == Bend::fixed ? scaled(node, 1, 0) : Bend::unknown;
      case Op::dot:
      case Op::matvec:
      case Op::matmul:
      case Op::sparse_dot:
      case Op::sparse_matvec: {
        const auto a = input(node, 0), b = input(node, 1);
        if (a == Bend::fixed && b == Bend::linear) return Bend::linear;
        if (b == Bend::fixed && a == Bend::linear) return Bend::linear;
        return node.op == Op::dot && a == Bend::linear && &node.inputs[0].node() == &node.inputs[1].node()
                   ? Bend::convex
                   : Bend::unknown;
      }
      case Op::sum:
      case Op::reshape:
      case Op::take:
      case Op::row_sum: return input(node, 0);
      case Op::gather: return input(node, 1) == Bend::fixed ? input(node, 0) : Bend::unknown;
      case Op::concat: {
        Bend shape = Bend::fixed;
        for (std::size_t k = 0; k < node.inputs.size(); ++k) shape = added(shape, input(node, k));
        return shape;
      }
      case Op::exp:
      case Op::square:
      case Op::abs:
      case Op::log1p_exp:
      case Op::cosh:
      case Op::log_sum_exp: return of_linear(node, Bend::convex);
      case Op::log_logistic:
      case Op::log_phi:
      case Op::log_softmax: return of_linear(node, Bend::concave);
      default: return Bend::unknown;
    }
  }

  std::unordered_map<const Node*, Bend> known_;
};

}  // namespace

bool is_concave(const Model& model) {
  if (model.given_likelihood()) return false;  // the caller's code cannot be analysed
  Judge judge;
  for (const auto& part : {model.log_prior(), model.log_jacobian(), model.row_log_likelihood()}) {
    if (!part) continue;
    const auto shape = judge.of(part);
    if (shape != Bend::fixed && shape != Bend::linear && shape != Bend::concave) return false;
  }
  return true;
}

}  // namespace sgmcmc
