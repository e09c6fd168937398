// Decompositions of dense matrices that several layers need, compiled once.
#pragma once

#include <Eigen/Core>

namespace sgmcmc {

/// A = vectors * diag(values) * vectors', with ascending values.
struct SymmetricEigen {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
};

/// For a symmetric matrix; reads only its lower triangle. Declared here because instantiating Eigen's solver takes
/// seconds per file.
SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& matrix);

/// The sum of the singular values of a square matrix, to within rounding of the largest.
double nuclear_norm(Eigen::MatrixXd matrix);

}  // namespace sgmcmc
