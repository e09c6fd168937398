// Decompositions of dense matrices that several layers need, compiled once.
#pragma once

#include <Eigen/Core>

namespace sgmcmc {

/// A = vectors * diag(values) * vectors', with ascending values.
struct SymmetricEigen {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
};

/// Of a symmetric matrix; only its lower triangle is read. Here, since each file that instantiates Eigen's solver
/// compiles for seconds.
SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& matrix);

/// The sum of the singular values of a square matrix, to within rounding of the largest.
double nuclear_norm(Eigen::MatrixXd matrix);

}  // namespace sgmcmc
