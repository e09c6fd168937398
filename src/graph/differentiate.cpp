// Reverse-mode differentiation: collects adjoints per node and propagates them by the rule of its op.
#include "graph/differentiate.hpp"

#include "graph/build.hpp"
#include "graph/gradient_rules.hpp"
#include "graph/leaves.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <array>
#include <unordered_map>

namespace sgmcmc {

std::vector<Expression> topological_order(const std::vector<Expression>& outputs) {
  std::vector<Expression> order;
  std::unordered_map<const Node*, bool> done;  // false: on the stack
  std::vector<std::pair<Expression, std::size_t>> stack;
  for (const auto& output : outputs) {
    if (!output || done.count(&output.node())) continue;
    stack.emplace_back(output, 0);
    done[&output.node()] = false;
    while (!stack.empty()) {
      auto& [top, next] = stack.back();
      const Node& node = top.node();
      if (next < node.inputs.size()) {
        const Expression& input = node.inputs[next++];
        if (!done.count(&input.node())) {
          done[&input.node()] = false;
          stack.emplace_back(input, 0);
        }
      } else {
        done[&node] = true;
        order.push_back(top);
        stack.pop_back();
      }
    }
  }
  return order;
}

namespace {

/// The leaf that a term belongs to: the one where it is collected, or one redirected there.
enum Side : std::size_t { own, redirected };

/// The adjoint terms of one node. Terms that share a factor over rows are kept separate until they are summed.
/// Redirected terms are summed separately, in the same order, and added at the end: if the two points coincide, each
/// sum is exactly the negative of the other, and the difference of two gradients is exactly zero.
class Adjoint {
 public:
  void add(const Expression& given, Side side) {
    const Expression term = sign_moved_inside(given);
    if (auto shared = shared_factor(term)) {
      for (auto& group : groups_) {
        if (!same_group(group[group[own] ? own : redirected], term, shared)) continue;
        group[side] = group[side] ? merge(group[side], term) : term;
        return;
      }
      groups_.emplace_back()[side] = term;
      return;
    }
    // Per-row and global terms are also kept separate: the sum over rows includes every row's term, but a global term
    // once.
    Expression& plain = (term.per_row() ? plain_per_row_ : plain_global_)[side];
    plain = plain ? plain + term : term;
  }

  /// The sum of all terms; summed over rows when the node is global and the terms are not.
  Expression total(bool sum_rows) const {
    Expression result;
    auto include = [&](const Expression& term) {
      auto part = sum_rows && term.per_row() ? row_sum(term) : term;
      result = result ? result + part : part;
    };
    auto either = [](const Sides& sides) { return sides[own] ? sides[own] : sides[redirected]; };
    for (const Sides* plain : {&plain_global_, &plain_per_row_}) {
      if ((*plain)[own] && (*plain)[redirected])
        include((*plain)[own] + (*plain)[redirected]);
      else if (either(*plain))
        include(either(*plain));
    }
    for (const auto& group : groups_)
      include(group[own] && group[redirected] ? merge(group[own], group[redirected]) : either(group));
    return result;
  }

 private:
  using Sides = std::array<Expression, 2>;

  /// The operand in which terms that differ only in their other operand can be merged by linearity; null if there is
  /// none.
  static const Node* shared_factor(const Expression& term) {
    const Node& n = term.node();
    if (!term.per_row()) return nullptr;
    switch (n.op) {
      case Op::multiply:  // scalar times array
        if (n.inputs[0].shape().is_scalar() == n.inputs[1].shape().is_scalar()) return nullptr;
        return &n.inputs[n.inputs[0].shape().is_scalar() ? 1 : 0].node();
      case Op::outer:
      case Op::scatter_rows: return &n.inputs[1].node();
      case Op::sparse_scale:
      case Op::sparse_outer: return &n.inputs[0].node();
      default: return nullptr;
    }
  }

  static bool same_group(const Expression& group, const Expression& term, const Node* shared) {
    const Node& x = group.node();
    const Node& y = term.node();
    return x.op == y.op && x.shape == y.shape && x.attributes.offset == y.attributes.offset &&
           shared_factor(group) == shared;
  }

  /// -(s * x) as (-s) * x, so that terms are grouped alike whatever their sign.
  static Expression sign_moved_inside(const Expression& term) {
    if (term.node().op != Op::negate || !shared_factor(term.node().inputs[0])) return term;
    const Expression& product = term.node().inputs[0];
    return with_varying(product, -varying(product));
  }

  static const Expression& varying(const Expression& term) {
    const Node& n = term.node();
    if (n.op == Op::multiply) return n.inputs[n.inputs[0].shape().is_scalar() ? 0 : 1];
    return n.inputs[n.op == Op::sparse_scale || n.op == Op::sparse_outer ? 1 : 0];
  }

  static Expression with_varying(const Expression& term, const Expression& operand) {
    const Node& n = term.node();
    switch (n.op) {
      case Op::multiply: return operand * n.inputs[n.inputs[0].shape().is_scalar() ? 1 : 0];
      case Op::outer: return outer(operand, n.inputs[1]);
      case Op::scatter_rows: return build::scatter_rows(operand, n.inputs[1], n.shape, n.attributes.offset);
      default: return build::node(n.op, {n.inputs[0], operand}, n.shape);
    }
  }

  static Expression merge(const Expression& x, const Expression& y) { return with_varying(x, varying(x) + varying(y)); }

  Sides plain_global_;
  Sides plain_per_row_;
  std::vector<Sides> groups_;
};

/// The sum of all elements, without forming products that a dot product can do.
Expression sum_of_elements(const Expression& x) {
  const Node& n = x.node();
  if (n.op == Op::negate) return -sum_of_elements(n.inputs[0]);
  if (n.op == Op::multiply) {
    const Expression& a = n.inputs[0];
    const Expression& b = n.inputs[1];
    if (a.shape().is_scalar()) return b.shape().is_scalar() ? x : a * sum_of_elements(b);
    return b.shape().is_scalar() ? sum_of_elements(a) * b : dot(a, b);
  }
  return sum(x);
}

/// Brings a contribution of the shape of `output` to the shape of its operand `input`.
Expression reduce_to(Expression contribution, const Expression& input, const Expression& output) {
  if (input.shape().is_scalar() && !output.shape().is_scalar() && is_elementwise(output.node().op)) {
    if (contribution.shape().is_scalar())
      contribution = contribution * static_cast<double>(output.shape().size());
    else
      contribution = sum_of_elements(contribution);
  }
  if (output.per_row() && !input.per_row() && !contribution.per_row()) {
    // The same for every row: make it per-row so that summing over rows counts them.
    auto weight = row_weight();
    contribution = contribution * equal(weight, weight);
  }
  return contribution;
}

}  // namespace

std::vector<Expression> differentiate(const Expression& scalar, const std::vector<Expression>& with_respect_to,
                                      const DifferentiateOptions& options) {
  build::require_value("differentiate", scalar);
  if (!scalar.shape().is_scalar()) build::fail("differentiate", "only a scalar can be differentiated", {scalar});

  auto order = topological_order({scalar});
  if (options.per_row && std::any_of(order.begin(), order.end(), [](const auto& x) { return is_row_sum(x.node().op); }))
    throw ModelError(
        "per-row derivatives: the function contains a sum over rows, so one row's value depends on all rows");
  std::unordered_map<const Node*, bool> active;
  for (const auto& target : with_respect_to) active[&target.node()] = true;
  for (const auto& [from, to] : options.redirect) active[&from.node()] = true;
  for (const auto& x : order) {
    const auto& inputs = x.node().inputs;
    if (std::any_of(inputs.begin(), inputs.end(), [&](const Expression& in) { return active.count(&in.node()) > 0; }))
      active[&x.node()] = true;
  }
  std::unordered_map<const Node*, const Node*> moved;
  for (const auto& [from, to] : options.redirect) moved[&from.node()] = &to.node();

  std::unordered_map<const Node*, Adjoint> adjoints;
  adjoints[&scalar.node()].add(Expression(1.0), own);
  for (auto at = order.rbegin(); at != order.rend(); ++at) {
    const Expression& y = *at;
    const Node& node = y.node();
    auto found = adjoints.find(&node);
    if (found == adjoints.end() || !active.count(&node) || node.inputs.empty()) continue;
    auto g = found->second.total(!options.per_row && !node.per_row);
    if (!is_elementwise(node.op) && g.shape().is_scalar() && !node.shape.is_scalar()) g = broadcast_to(g, node.shape);

    std::vector<bool> needed;
    for (const auto& input : node.inputs) needed.push_back(active.count(&input.node()) > 0);
    auto contributions = gradient_contributions(y, g, needed);
    for (std::size_t i = 0; i < contributions.size(); ++i) {
      if (!needed[i] || !contributions[i]) continue;
      const Expression& input = node.inputs[i];
      auto to = moved.find(&input.node());
      const bool moves = to != moved.end();
      adjoints[moves ? to->second : &input.node()].add(reduce_to(contributions[i], input, y), moves ? redirected : own);
    }
  }

  std::vector<Expression> gradients;
  for (const auto& target : with_respect_to) {
    auto found = adjoints.find(&target.node());
    Expression g;
    if (found != adjoints.end()) g = found->second.total(!options.per_row && !target.per_row());
    if (!g)
      g = build::zeros(target.shape());
    else if (g.shape() != target.shape())
      g = broadcast_to(g, target.shape());
    gradients.push_back(g);
  }
  return gradients;
}

Expression at_point(const Expression& x, Point point) { return at_point(std::vector<Expression>{x}, point).front(); }

std::vector<Expression> at_point(const std::vector<Expression>& expressions, Point point) {
  std::unordered_map<const Node*, Expression> moved;
  for (const auto& e : topological_order(expressions)) {
    const Node& node = e.node();
    if (node.op == Op::parameter)
      moved[&node] = parameter_leaf(node.attributes.name, node.shape, node.attributes.offset, point);
  }
  return with_replaced(expressions, std::move(moved));
}

std::vector<Expression> with_replaced(const std::vector<Expression>& expressions,
                                      std::unordered_map<const Node*, Expression> replaced) {
  for (const auto& e : topological_order(expressions)) {
    const Node& node = e.node();
    if (replaced.contains(&node)) continue;
    bool changed = false;
    std::vector<Expression> inputs;
    for (const auto& input : node.inputs) {
      inputs.push_back(replaced.at(&input.node()));
      changed = changed || &inputs.back().node() != &input.node();
    }
    if (!changed) {
      replaced[&node] = e;
      continue;
    }
    auto made = build::node(node.op, std::move(inputs), node.shape, node.attributes);
    const_cast<Node&>(made.node()).type = node.type;
    replaced[&node] = made;
  }
  std::vector<Expression> results;
  for (const auto& x : expressions) results.push_back(x ? replaced.at(&x.node()) : x);
  return results;
}

}  // namespace sgmcmc
