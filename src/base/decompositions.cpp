// Instantiates Eigen's solvers; singular values from a bidiagonal matrix.
#include "base/decompositions.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/Householder>

#include <stdexcept>

namespace sgmcmc {

SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& matrix) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(matrix);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

double nuclear_norm(Eigen::MatrixXd matrix) {
  const Eigen::Index size = matrix.rows();
  if (matrix.cols() != size) throw std::invalid_argument("nuclear_norm: the matrix is not square");
  // Householder reflections make it upper bidiagonal, with diagonal a and superdiagonal b. The eigenvalues of the
  // symmetric tridiagonal matrix with zeros on its diagonal and a_1, b_1, a_2, b_2, ... beside it are its singular
  // values and their negatives.
  Eigen::VectorXd beside = Eigen::VectorXd::Zero(size > 0 ? 2 * size - 1 : 0), workspace(size);
  for (Eigen::Index k = 0; k < size; ++k) {
    const Eigen::Index below = size - k, right = below - 1;
    double tau = 0;
    Eigen::VectorXd essential(right);
    matrix.col(k).tail(below).makeHouseholder(essential, tau, beside[2 * k]);
    if (right == 0) break;
    matrix.bottomRightCorner(below, right).applyHouseholderOnTheLeft(essential, tau, workspace.data());
    Eigen::VectorXd rest(right - 1);
    matrix.row(k).tail(right).transpose().makeHouseholder(rest, tau, beside[2 * k + 1]);
    matrix.bottomRightCorner(right, right).applyHouseholderOnTheRight(rest, tau, workspace.data());
  }
  if (!beside.allFinite()) return beside.sum();
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver;
  solver.computeFromTridiagonal(Eigen::VectorXd::Zero(2 * size), beside, Eigen::EigenvaluesOnly);
  return 0.5 * solver.eigenvalues().cwiseAbs().sum();
}

}  // namespace sgmcmc
