// Directions in which a matrix stands out that is known by its products with vectors, and is about the identity else.
#pragma once

#include <Eigen/Core>

#include <functional>

namespace sgmcmc {

struct OutstandingDirections {
  Eigen::MatrixXd columns;  ///< orthonormal, D x k; k may be 0
  Eigen::VectorXd values;   ///< the eigenvalue of each, positive; about 1 of all others
};

/// Of a symmetric matrix, multiply(v, product): by so many products at most (Lanczos' method).
OutstandingDirections outstanding_directions(
    Eigen::Index size, Eigen::Index products,
    const std::function<void(const Eigen::VectorXd& v, Eigen::VectorXd& product)>& multiply);

}  // namespace sgmcmc
