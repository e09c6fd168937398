// The derivative checker: the graph's gradient against forward-mode duals and against finite differences.
//
// The function may be global (one value) or per-row (one value, hence one gradient, for every row). What evaluates the
// gradient graph and what makes it can both be replaced: the executor is checked, and faults are planted, that way.
#pragma once

#include "graph/differentiate.hpp"
#include "graph/leaves.hpp"
#include "reference/compare.hpp"
#include "reference/evaluator.hpp"
#include "reference/finite_difference.hpp"

#include <sgmcmc/expression.hpp>

#include <functional>
#include <sstream>
#include <string>
#include <unordered_set>
#include <vector>

namespace sgmcmc::reference {

/// Values of the outputs, each flat; a per-row output has its rows one after another.
using Backend = std::function<std::vector<std::vector<double>>(const std::vector<Expression>& outputs, const RowTable&,
                                                               const ParameterVectors<double>&)>;
using Differentiator = std::function<std::vector<Expression>(const Expression&, const std::vector<Expression>&)>;

inline std::vector<std::vector<double>> evaluate_naively(const std::vector<Expression>& outputs, const RowTable& data,
                                                         const ParameterVectors<double>& point) {
  ReferenceEvaluator<double> evaluator(data, point);
  std::vector<std::vector<double>> values;
  for (const auto& output : outputs) values.push_back(evaluator.evaluate(output).elements);
  return values;
}

struct CheckOptions {
  double dual_tolerance = 1e-10;
  double difference_tolerance = 1e-6;
  Backend backend = evaluate_naively;
  Differentiator differentiator = [](const Expression& f, const std::vector<Expression>& leaves) {
    return differentiate(f, leaves, {.per_row = f.per_row(), .redirect = {}});
  };
};

struct GradientReport {
  Disagreement dual;        ///< of the graph's gradient with forward mode
  Disagreement difference;  ///< of the graph's gradient with finite differences
  bool dual_agrees = false;
  bool difference_agrees = false;
  std::string failure;  ///< empty when both agree

  bool agrees() const { return dual_agrees && difference_agrees; }
};

/// Every node that the expressions are made of, each once.
inline std::vector<Expression> nodes_of(const std::vector<Expression>& roots) {
  std::vector<Expression> pending = roots, found;
  std::unordered_set<const Node*> seen;
  while (!pending.empty()) {
    const Expression next = pending.back();
    pending.pop_back();
    if (!next || !seen.insert(&next.node()).second) continue;
    found.push_back(next);
    for (const auto& input : next.node().inputs) pending.push_back(input);
  }
  return found;
}

/// The leaves of f that read theta.
inline std::vector<Expression> parameter_leaves(const Expression& f) {
  std::vector<Expression> leaves;
  for (const auto& node : nodes_of({f})) {
    if (node.node().op == Op::parameter && node.node().attributes.point == Point::current) leaves.push_back(node);
  }
  return leaves;
}

/// Gradients with respect to leaves, put together to gradients with respect to theta: [outputs][theta], flat.
inline std::vector<double> assemble(const std::vector<Expression>& leaves, const std::vector<Expression>& gradients,
                                    const std::vector<std::vector<double>>& values, std::size_t outputs,
                                    std::size_t theta_size) {
  std::vector<double> assembled(outputs * theta_size, 0.0);
  for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
    const auto size = static_cast<std::size_t>(leaves[leaf].shape().size());
    const auto offset = static_cast<std::size_t>(leaves[leaf].node().attributes.offset);
    const auto& value = values.at(leaf);
    // Gradients of a per-row function that do not depend on the row come as one array for all rows.
    const bool one_for_all = !gradients[leaf].per_row();
    if (!(gradients[leaf].shape() == leaves[leaf].shape()) || value.size() != size * (one_for_all ? 1 : outputs)) {
      throw std::logic_error("gradient " + gradients[leaf].describe() + " of leaf " + leaves[leaf].describe() +
                             " has the wrong shape");
    }
    for (std::size_t output = 0; output < outputs; ++output) {
      for (std::size_t i = 0; i < size; ++i) {
        assembled[output * theta_size + offset + i] += value[(one_for_all ? 0 : output * size) + i];
      }
    }
  }
  return assembled;
}

/// Forward-mode gradient [outputs][theta]: one pass of the evaluator for every parameter.
inline std::vector<double> dual_gradient(const Expression& f, const RowTable& data,
                                         const ParameterVectors<double>& point) {
  const std::size_t size = point.current.size();
  std::vector<double> gradient;
  for (std::size_t j = 0; j < size; ++j) {
    auto parameters = promote<Dual<double>>(point);
    parameters.current[j].derivative = 1;
    ReferenceEvaluator<Dual<double>> evaluator(data, parameters);
    const auto& values = evaluator.evaluate(f).elements;
    gradient.resize(values.size() * size);
    for (std::size_t output = 0; output < values.size(); ++output) {
      gradient[output * size + j] = values[output].derivative;
    }
  }
  return gradient;
}

/// Holds a gradient [outputs][theta] against both oracles.
inline GradientReport compare_gradient(const Expression& f, const RowTable& data, const ParameterVectors<double>& point,
                                       const std::vector<double>& gradient, const CheckOptions& options = {}) {
  const auto function = [&](const std::vector<double>& theta) {
    auto moved = point;
    moved.current = theta;
    return evaluate_naively({f}, data, moved).front();
  };
  const auto values = function(point.current);
  // Derivatives that cancel are resolved to the rounding of the terms; differences to that of f, divided by their step.
  auto scales = values;
  for (double& scale : scales) scale = std::min(1.0, std::abs(scale));
  GradientReport report;
  report.dual = worst_disagreement(gradient, dual_gradient(f, data, point), scales, 1e-6);
  report.difference = worst_disagreement(gradient, finite_differences(function, point.current), values, 1e-7);
  report.dual_agrees = report.dual.relative <= options.dual_tolerance;
  report.difference_agrees = report.difference.relative <= options.difference_tolerance;
  if (!report.dual_agrees) report.failure += report.dual.describe("forward-mode duals");
  if (!report.difference_agrees) report.failure += report.difference.describe("finite differences");
  return report;
}

/// Differentiates f with respect to every parameter leaf in it and holds the result against both oracles.
inline GradientReport check_gradient(const Expression& f, const RowTable& data, const ParameterVectors<double>& point,
                                     const CheckOptions& options = {}) {
  const auto leaves = parameter_leaves(f);
  const auto gradients = options.differentiator(f, leaves);
  const auto values = options.backend(gradients, data, point);
  const auto outputs = f.per_row() ? static_cast<std::size_t>(data.rows) : std::size_t{1};
  return compare_gradient(f, data, point, assemble(leaves, gradients, values, outputs, point.current.size()), options);
}

/// The graph's Hessian-vector product, made by differentiating twice, with v read from Point::direction.
inline std::vector<Expression> hessian_vector_graph(const Expression& f, const std::vector<Expression>& leaves,
                                                    const CheckOptions& options) {
  const auto gradients = options.differentiator(f, leaves);
  Expression along_direction = 0.0;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const auto& leaf = leaves[i].node();
    const auto direction = parameter_leaf(leaf.attributes.name, leaf.shape, leaf.attributes.offset, Point::direction);
    along_direction = along_direction + dot(gradients[i], direction);
  }
  return options.differentiator(along_direction, leaves);
}

/// H(theta) v of a global f: the twice differentiated graph against duals of duals through f (reported as `dual`) and
/// against duals through the gradient graph (reported as `difference`, held to the same tolerance as `dual`).
inline GradientReport check_hessian_vector(const Expression& f, const RowTable& data,
                                           const ParameterVectors<double>& point, const CheckOptions& options = {}) {
  const auto leaves = parameter_leaves(f);
  const auto product = hessian_vector_graph(f, leaves, options);
  const std::size_t size = point.current.size();
  const auto got = assemble(leaves, product, options.backend(product, data, point), 1, size);

  using Second = Dual<Dual<double>>;
  std::vector<double> expected(size);
  std::vector<double> gradient(size);
  for (std::size_t j = 0; j < size; ++j) {
    auto parameters = promote<Second>(point);
    for (std::size_t i = 0; i < size; ++i) parameters.current[i].derivative.value = point.direction.at(i);
    parameters.current[j].value.derivative = 1;
    ReferenceEvaluator<Second> evaluator(data, parameters);
    const Second value = evaluator.evaluate(f).elements.front();
    gradient[j] = value.value.derivative;
    expected[j] = value.derivative.derivative;
  }

  auto parameters = promote<Dual<double>>(point);
  for (std::size_t i = 0; i < size; ++i) parameters.current[i].derivative = point.direction.at(i);
  ReferenceEvaluator<Dual<double>> evaluator(data, parameters);
  std::vector<double> through_gradient(size, 0.0);
  const auto gradients = options.differentiator(f, leaves);
  for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
    const auto& values = evaluator.evaluate(gradients[leaf]).elements;
    const auto offset = static_cast<std::size_t>(leaves[leaf].node().attributes.offset);
    for (std::size_t i = 0; i < values.size(); ++i) through_gradient[offset + i] += values[i].derivative;
  }

  double scale = std::min(1.0, std::abs(evaluate_naively({f}, data, point).front().front()));
  for (double slope : gradient) scale = std::max(scale, std::abs(slope));
  GradientReport report;
  report.dual = worst_disagreement(got, expected, {scale}, 1e-6);
  report.difference = worst_disagreement(got, through_gradient, {scale}, 1e-6);
  report.dual_agrees = report.dual.relative <= options.dual_tolerance;
  report.difference_agrees = report.difference.relative <= options.dual_tolerance;
  if (!report.dual_agrees) report.failure += report.dual.describe("duals of duals");
  if (!report.difference_agrees) report.failure += report.difference.describe("duals through the gradient graph");
  return report;
}

}  // namespace sgmcmc::reference
