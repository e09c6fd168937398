// Gauss-Hermite points from the eigenvalues of a tridiagonal matrix (Golub and Welsch 1969).
#include "groups/quadrature.hpp"

#include "base/decompositions.hpp"

#include <Eigen/Core>

#include <cmath>

namespace sgmcmc {

Quadrature gauss_hermite(std::size_t dimension, std::size_t per_axis) {
  // For the weight exp(-z^2 / 2) the recurrence z He_n = He_{n+1} + n He_{n-1} gives off-diagonal elements sqrt(n).
  const auto size = static_cast<Eigen::Index>(per_axis);
  Eigen::MatrixXd jacobi = Eigen::MatrixXd::Zero(size, size);
  for (Eigen::Index i = 1; i < size; ++i) jacobi(i, i - 1) = jacobi(i - 1, i) = std::sqrt(static_cast<double>(i));
  const SymmetricEigen found = symmetric_eigen(jacobi);
  Quadrature rule;
  rule.dimension = dimension;
  std::size_t count = 1;
  for (std::size_t d = 0; d < dimension; ++d) count *= per_axis;
  for (std::size_t k = 0; k < count; ++k) {
    double log_weight = 0;
    for (std::size_t d = 0, rest = k; d < dimension; ++d, rest /= per_axis) {
      const auto i = static_cast<Eigen::Index>(rest % per_axis);
      // Symmetrises the points, to remove rounding errors.
      const double z = 0.5 * (found.values[i] - found.values[size - 1 - i]);
      rule.points.push_back(z);
      log_weight += 2.0 * std::log(std::abs(found.vectors(0, i)));
    }
    rule.log_weights.push_back(log_weight);
  }
  return rule;
}

std::vector<Quadrature> quadrature_rules(std::size_t dimension) {
  std::vector<std::size_t> per_axis = {2, 3};
  if (dimension == 1) per_axis = {3, 5, 7, 11, 15, 25, 45};
  if (dimension == 2) per_axis = {3, 4, 5, 7, 11, 15};
  if (dimension == 3) per_axis = {2, 3, 4, 5, 7};
  if (dimension == 4) per_axis = {2, 3, 4, 5};
  std::vector<Quadrature> rules;
  for (const std::size_t points : per_axis) rules.push_back(gauss_hermite(dimension, points));
  return rules;
}

}  // namespace sgmcmc
