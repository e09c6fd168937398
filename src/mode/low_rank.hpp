// Outlying eigenpairs of a near-identity operator, by Lanczos' method.
#pragma once

#include <Eigen/Core>

#include <functional>

namespace sgmcmc {

struct OutstandingDirections {
  Eigen::MatrixXd columns;  ///< orthonormal, D x k; k may be 0
  Eigen::VectorXd values;   ///< their eigenvalues, positive; all others are about 1
};

/// For a symmetric matrix, given by multiply(v, product); uses at most this many products.
OutstandingDirections outstanding_directions(
    Eigen::Index size, Eigen::Index products,
    const std::function<void(const Eigen::VectorXd& v, Eigen::VectorXd& product)>& multiply);

}  // namespace sgmcmc
