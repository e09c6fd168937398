// Evaluating, differentiating by duals and by differences, and comparing: compiled once for all test programs.
#include "reference/check_gradient.hpp"

#include "graph/leaves.hpp"
#include "reference/evaluator.hpp"
#include "reference/finite_difference.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <unordered_set>

namespace sgmcmc::reference {

std::vector<std::vector<double>> evaluate_naively(const std::vector<Expression>& outputs, const RowTable& data,
                                                  const ParameterVectors<double>& point) {
  ReferenceEvaluator<double> evaluator(data, point);
  std::vector<std::vector<double>> values;
  for (const auto& output : outputs) values.push_back(evaluator.evaluate(output).elements);
  return values;
}

std::vector<Expression> nodes_of(const std::vector<Expression>& roots) {
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

std::vector<Expression> parameter_leaves(const Expression& f) {
  std::vector<Expression> leaves;
  for (const auto& node : nodes_of({f})) {
    if (node.node().op == Op::parameter && node.node().attributes.point == Point::current) leaves.push_back(node);
  }
  return leaves;
}

std::vector<double> assemble(const std::vector<Expression>& leaves, const std::vector<Expression>& gradients,
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

std::vector<double> dual_gradient(const Expression& f, const RowTable& data, const ParameterVectors<double>& point) {
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

GradientReport compare_gradient(const Expression& f, const RowTable& data, const ParameterVectors<double>& point,
                                const std::vector<double>& gradient, const CheckOptions& options) {
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

GradientReport check_gradient(const Expression& f, const RowTable& data, const ParameterVectors<double>& point,
                              const CheckOptions& options) {
  const auto leaves = parameter_leaves(f);
  const auto gradients = options.differentiator(f, leaves);
  const auto values = options.backend(gradients, data, point);
  const auto outputs = f.per_row() ? static_cast<std::size_t>(data.rows) : std::size_t{1};
  return compare_gradient(f, data, point, assemble(leaves, gradients, values, outputs, point.current.size()), options);
}

std::vector<Expression> hessian_vector_graph(const Expression& f, const std::vector<Expression>& leaves,
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

GradientReport check_hessian_vector(const Expression& f, const RowTable& data, const ParameterVectors<double>& point,
                                    const CheckOptions& options) {
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
