// Points and weights for integrals against a standard normal density in a few dimensions.
#pragma once

#include <cstddef>
#include <vector>

namespace sgmcmc {

struct Quadrature {
  std::size_t dimension = 1;
  std::vector<double> points;       ///< count x dimension
  std::vector<double> log_weights;  ///< count; the weights add up to 1

  std::size_t count() const { return log_weights.size(); }
};

/// Gauss-Hermite points, `per_axis` in each dimension: exact for polynomials of degree 2 per_axis - 1.
Quadrature gauss_hermite(std::size_t dimension, std::size_t per_axis);

/// The available rules, by increasing cost; for up to six dimensions.
std::vector<Quadrature> quadrature_rules(std::size_t dimension);

}  // namespace sgmcmc
