// Shortcuts to evaluate an expression and its gradient at numbers, by the reference evaluator.
#pragma once

#include "graph/leaves.hpp"
#include "reference/check_gradient.hpp"

#include <sgmcmc/expression.hpp>

#include <string>
#include <vector>

namespace sgmcmc::testing {

/// Leaf number `offset` of a vector of scalar parameters, or an array of them starting there.
inline Expression theta(std::int64_t offset, Shape shape = {}) {
  return parameter_leaf("theta" + std::to_string(offset), std::move(shape), offset);
}

inline std::vector<double> values_at(const Expression& f, const std::vector<double>& parameters,
                                     const reference::RowTable& rows = {}) {
  return reference::evaluate_naively({f}, rows, {parameters, {}, {}}).front();
}

inline double value_at(const Expression& f, const std::vector<double>& parameters = {}) {
  return values_at(f, parameters).at(0);
}

/// The graph's gradient of a global scalar with respect to all parameters.
inline std::vector<double> gradient_at(const Expression& f, const std::vector<double>& parameters) {
  const auto leaves = reference::parameter_leaves(f);
  const auto gradients = differentiate(f, leaves);
  const auto values = reference::evaluate_naively(gradients, {}, {parameters, {}, {}});
  return reference::assemble(leaves, gradients, values, 1, parameters.size());
}

}  // namespace sgmcmc::testing
