// Shortcuts to apply a constraint to numbers, and its Jacobian by forward-mode duals.
#pragma once

#include "graph/leaves.hpp"
#include "reference/check_gradient.hpp"

#include <sgmcmc/constraint.hpp>

#include <Eigen/Dense>

#include <cmath>
#include <vector>

namespace sgmcmc::testing {

inline Expression coordinates(std::int64_t count) { return parameter_leaf("u", Shape{count}, 0); }

/// The transform of a vector of parameters that starts at the beginning of theta.
inline Transformed transformed(const Constraint& constraint, const Shape& shape) {
  return constraint.apply(coordinates(constraint.unconstrained_size(shape)), shape);
}

inline std::vector<double> values_at(const Expression& f, const std::vector<double>& theta) {
  return reference::evaluate_naively({f}, {}, {theta, {}, {}}).front();
}

/// log |det| of the derivatives of the elements at `positions` with respect to the first coordinates.
inline double log_determinant_by_duals(const Expression& value, const std::vector<double>& theta,
                                       const std::vector<std::size_t>& positions) {
  const auto size = static_cast<Eigen::Index>(positions.size());
  Eigen::MatrixXd jacobian(size, size);
  const auto derivatives = reference::dual_gradient(value, {}, {theta, {}, {}});
  for (Eigen::Index j = 0; j < size; ++j)
    for (Eigen::Index i = 0; i < size; ++i)
      jacobian(i, j) = derivatives[positions[static_cast<std::size_t>(i)] * theta.size() + static_cast<std::size_t>(j)];
  return jacobian.fullPivLu().matrixLU().diagonal().array().abs().log().sum();
}

}  // namespace sgmcmc::testing
