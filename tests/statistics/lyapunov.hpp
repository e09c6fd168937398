// Stationary covariance of a linear chain x' = A x + noise of covariance Q: the discrete Lyapunov equation S = A S A' +
// Q.
#pragma once

#include <Eigen/Dense>

namespace sgmcmc::testing {

inline Eigen::MatrixXd stationary_covariance(const Eigen::MatrixXd& A, const Eigen::MatrixXd& Q) {
  const Eigen::Index n = A.rows();
  Eigen::MatrixXd system(n * n, n * n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j) system.block(i * n, j * n, n, n) = A(i, j) * A;
  system = Eigen::MatrixXd::Identity(n * n, n * n) - system;
  const Eigen::VectorXd stacked = system.fullPivLu().solve(Eigen::Map<const Eigen::VectorXd>(Q.data(), n * n));
  return Eigen::Map<const Eigen::MatrixXd>(stacked.data(), n, n);
}

}  // namespace sgmcmc::testing
