// Expands in the parts of a row that are linear in s, such as its linear predictor. The rest of the row's log
// likelihood then has few arguments, and its derivatives are cheap.
#include "subsets/expanded_likelihood.hpp"

#include "graph/differentiate.hpp"
#include "graph/node.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace sgmcmc {
namespace {

/// The nodes of an expression that depend on given nodes.
class Dependents {
 public:
  template <class IsSource>
  Dependents(const std::vector<Expression>& order, const IsSource& is_source) {
    for (const auto& x : order) {
      bool depends = is_source(x.node());
      for (const auto& input : x.node().inputs) depends = depends || has(input);
      if (depends) nodes_.insert(&x.node());
    }
  }
  bool has(const Expression& x) const { return nodes_.contains(&x.node()); }

 private:
  std::unordered_set<const Node*> nodes_;
};

bool is_parameter(const Node& node) { return node.op == Op::parameter; }

/// If a scalar is a function of one other scalar, returns that one: rows that read a scale and its logarithm depend on
/// one number, not two.
Expression number_behind(Expression x, const Dependents& on_parameters) {
  while (x.shape().size() == 1) {
    const Expression* only = nullptr;
    for (const auto& input : x.node().inputs) {
      if (!on_parameters.has(input)) continue;
      if (only && &only->node() != &input.node()) return x;
      only = &input;
    }
    if (!only || only->shape().size() != 1) return x;
    x = *only;
  }
  return x;
}

/// Whether a node is linear in those of its operands that depend on s, all of which are.
bool keeps_linear(const Node& node, const Dependents& on_s) {
  const auto free = [&](std::size_t k) { return !on_s.has(node.inputs[k]); };
  switch (node.op) {
    case Op::add:
    case Op::subtract:
    case Op::negate:
    case Op::reshape:
    case Op::take:
    case Op::concat:
    case Op::sum:
    case Op::cumulative_sum: return true;
    case Op::divide:
    case Op::gather: return free(1);
    case Op::select: return free(0);
    case Op::multiply:
    case Op::dot:
    case Op::matvec:
    case Op::matmul:
    case Op::sparse_dot:
    case Op::sparse_matvec: return free(0) || free(1);
    default: return false;
  }
}

/// The maximal parts of a row that are linear in s: the arguments of the rest.
std::vector<Expression> linear_arguments(const Expression& row, const std::vector<Expression>& parts) {
  std::unordered_set<const Node*> sources;
  for (const auto& part : parts) sources.insert(&part.node());
  const auto order = topological_order({row});
  const Dependents on_s(order, [&](const Node& node) { return sources.contains(&node); });
  std::unordered_set<const Node*> linear, found;
  std::vector<Expression> arguments;
  const auto take = [&](const Expression& x) {
    if (linear.contains(&x.node()) && found.insert(&x.node()).second) arguments.push_back(x);
  };
  for (const auto& x : order) {
    if (!on_s.has(x)) continue;
    const Node& node = x.node();
    const bool inputs_linear = std::all_of(node.inputs.begin(), node.inputs.end(), [&](const Expression& input) {
      return !on_s.has(input) || linear.contains(&input.node());
    });
    if (sources.contains(&node) || (inputs_linear && keeps_linear(node, on_s)))
      linear.insert(&node);
    else
      for (const auto& input : node.inputs) take(input);
  }
  take(row);
  return arguments;
}

/// Replaces the parts of s in the expression by constants.
Expression at_centre(const Expression& x, const std::vector<Expression>& parts, const std::vector<double>& centre) {
  std::unordered_map<const Node*, Expression> values;
  auto from = centre.begin();
  for (const auto& part : parts) {
    const auto size = part.shape().size();
    values[&part.node()] = constant({from, from + size}, part.shape());
    from += size;
  }
  return with_replaced({x}, std::move(values)).front();
}

/// q_i: the row's log likelihood around the centre, to second order.
Expression expansion_of(const Expression& row, const std::vector<Expression>& parts,
                        const std::vector<double>& centre) {
  // Separate copies, so that the derivative in one argument does not pass through another that contains it, or through
  // the differences.
  std::vector<Expression> at, differences;
  std::unordered_map<const Node*, Expression> replaced;
  for (const auto& argument : linear_arguments(row, parts)) {
    at.push_back(at_centre(argument, parts, centre));
    differences.push_back(argument - at_centre(argument, parts, centre));
    replaced[&argument.node()] = at.back();
  }
  DifferentiateOptions by_row;
  by_row.per_row = true;
  const auto along = [&](const Expression& x) {
    Expression total(0.0);
    const auto slopes = differentiate(x, at, by_row);
    for (std::size_t k = 0; k < at.size(); ++k) total = total + sum(slopes[k] * differences[k]);
    return total;
  };
  const auto value = with_replaced({row}, std::move(replaced)).front();
  const auto first = along(value);
  return value + first + 0.5 * along(first);
}

}  // namespace

SeenByRows seen_by_rows(const Model& model) {
  const auto& row = model.row_log_likelihood();
  if (!row || model.rows() == 0)
    throw ModelError("hmc-ecs needs a likelihood with rows, and this model has none. Use nuts");
  const auto order = topological_order({row});
  const Dependents on_parameters(order, is_parameter);
  SeenByRows seen;
  std::unordered_set<const Node*> found;
  for (const auto& x : order) {
    if (!x.per_row()) continue;
    for (const auto& input : x.node().inputs) {
      if (input.per_row() || !on_parameters.has(input)) continue;
      const auto part = number_behind(input, on_parameters);
      if (!found.insert(&part.node()).second) continue;
      seen.parts.push_back(part);
      seen.size += part.shape().size();
    }
  }
  if (seen.parts.empty()) throw ModelError("hmc-ecs: no row depends on any parameter. Use nuts");
  Model likelihood(model.data());
  std::unordered_map<const Node*, Expression> replaced;
  for (std::size_t k = 0; k < seen.parts.size(); ++k) {
    const auto& part = seen.parts[k];
    replaced[&part.node()] = likelihood.parameter("part_" + std::to_string(k + 1), part.shape());
  }
  likelihood.likelihood(with_replaced({row}, std::move(replaced)).front());
  seen.likelihood = std::move(likelihood);
  return seen;
}

Model expanded(const Model& model, const SeenByRows& seen, const SumOfExpansions& sum) {
  std::vector<Expression> flat;
  for (const auto& part : seen.parts) flat.push_back(reshape(part, Shape{part.shape().size()}));
  const auto from_centre = concatenate(flat) - constant(sum.centre);
  const auto form = sum.value + dot(constant(sum.gradient), from_centre) -
                    0.5 * dot(from_centre, matmul(constant(sum.curvature, Shape{seen.size, seen.size}), from_centre));
  const auto& row = model.row_log_likelihood();
  return model.with_densities(model.log_prior() ? model.log_prior() + form : form,
                              row - expansion_of(row, seen.parts, sum.centre));
}

}  // namespace sgmcmc
