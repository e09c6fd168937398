// Instantiates Eigen's solvers and products; singular values from a bidiagonal matrix.
#include "base/decompositions.hpp"

#include <Eigen/Dense>

#include <stdexcept>

namespace sgmcmc {

using Eigen::Index;
using Eigen::Lower;
using Eigen::Map;
using Eigen::MatrixXd;
using Eigen::Upper;
using Eigen::VectorXd;

Cholesky::Cholesky(Index size) : factor_(size) {}
Cholesky::Cholesky(const Eigen::Ref<const MatrixXd>& matrix) : factor_(matrix) {}
void Cholesky::compute(const Eigen::Ref<const MatrixXd>& matrix) { factor_.compute(matrix); }
bool Cholesky::succeeded() const { return factor_.info() == Eigen::Success; }
const MatrixXd& Cholesky::numbers() const { return factor_.matrixLLT(); }
MatrixXd Cholesky::lower() const { return factor_.matrixL(); }
double Cholesky::sum_of_logs() const { return numbers().diagonal().array().log().sum(); }
MatrixXd Cholesky::inverse() const { return solve(MatrixXd::Identity(numbers().rows(), numbers().cols()).eval()); }
MatrixXd Cholesky::solve(const MatrixXd& right) const { return factor_.solve(right); }
VectorXd Cholesky::solve(const VectorXd& right) const {
  VectorXd x = right;
  solve_lower_in_place({x.data(), x.size()});
  solve_upper_in_place({x.data(), x.size()});
  return x;
}
MatrixXd Cholesky::solve_lower(const MatrixXd& right) const { return lower_solve(numbers(), right); }
MatrixXd Cholesky::solve_upper(const MatrixXd& right) const { return factor_.matrixU().solve(right); }
VectorXd Cholesky::solve_upper(const VectorXd& right) const {
  VectorXd x = right;
  solve_upper_in_place({x.data(), x.size()});
  return x;
}
void Cholesky::solve_lower_in_place(Map<VectorXd> x) const {
  lower_solve_in_place({numbers().data(), x.size(), x.size()}, x);
}
void Cholesky::solve_upper_in_place(Map<VectorXd> x) const {
  lower_transposed_solve_in_place({numbers().data(), x.size(), x.size()}, x);
}

PivotedCholesky::PivotedCholesky(const MatrixXd& matrix) : factor_(matrix) {}
bool PivotedCholesky::succeeded() const { return factor_.info() == Eigen::Success; }
VectorXd PivotedCholesky::pivots() const { return factor_.vectorD(); }
MatrixXd PivotedCholesky::solve(const MatrixXd& right) const { return factor_.solve(right); }
MatrixXd PivotedCholesky::root() const {
  const VectorXd roots = factor_.vectorD().cwiseMax(0.0).cwiseSqrt();
  MatrixXd root = factor_.matrixL();
  root = root * roots.asDiagonal();
  return factor_.transpositionsP().transpose() * root;
}

LeastSquares::LeastSquares(const MatrixXd& design) : factor_(design) {}
Index LeastSquares::rank() const { return factor_.rank(); }
MatrixXd LeastSquares::solve(const MatrixXd& right) const { return factor_.solve(right); }
VectorXd LeastSquares::shortest_of_transposed(const VectorXd& right) const {
  const Index rank = factor_.rank();
  const VectorXd pivoted = factor_.colsPermutation().transpose() * right;
  VectorXd t = VectorXd::Zero(factor_.rows());
  t.head(rank) =
      factor_.matrixR().topLeftCorner(rank, rank).triangularView<Upper>().transpose().solve(pivoted.head(rank));
  t = factor_.householderQ() * t;
  return t;
}

SymmetricEigen symmetric_eigen(const MatrixXd& matrix) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(matrix);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

void symmetric_eigen(const double* matrix, Index size, double* values, double* vectors) {
  const SymmetricEigen found = symmetric_eigen(Eigen::Map<const MatrixXd>(matrix, size, size));
  Eigen::Map<VectorXd>(values, size) = found.values;
  Eigen::Map<MatrixXd>(vectors, size, size) = found.vectors;
}

MatrixXd with_eigenvalues(const MatrixXd& vectors, const VectorXd& values) {
  const MatrixXd scaled = vectors * values.asDiagonal();
  return product_transposed(scaled, vectors);
}

double nuclear_norm(MatrixXd matrix) {
  const Index size = matrix.rows();
  if (matrix.cols() != size) throw std::invalid_argument("nuclear_norm: the matrix is not square");
  // Householder reflections make it upper bidiagonal, with diagonal a and superdiagonal b. The eigenvalues of the
  // symmetric tridiagonal matrix with zeros on its diagonal and a_1, b_1, a_2, b_2, ... beside it are its singular
  // values and their negatives.
  VectorXd beside = VectorXd::Zero(size > 0 ? 2 * size - 1 : 0), workspace(size);
  for (Index k = 0; k < size; ++k) {
    const Index below = size - k, right = below - 1;
    double tau = 0;
    VectorXd essential(right);
    matrix.col(k).tail(below).makeHouseholder(essential, tau, beside[2 * k]);
    if (right == 0) break;
    matrix.bottomRightCorner(below, right).applyHouseholderOnTheLeft(essential, tau, workspace.data());
    VectorXd rest(right - 1);
    matrix.row(k).tail(right).transpose().makeHouseholder(rest, tau, beside[2 * k + 1]);
    matrix.bottomRightCorner(right, right).applyHouseholderOnTheRight(rest, tau, workspace.data());
  }
  if (!beside.allFinite()) return beside.sum();
  Eigen::SelfAdjointEigenSolver<MatrixXd> solver;
  solver.computeFromTridiagonal(VectorXd::Zero(2 * size), beside, Eigen::EigenvaluesOnly);
  return 0.5 * solver.eigenvalues().cwiseAbs().sum();
}

MatrixXd lower_product(const MatrixXd& lower, const MatrixXd& right) { return lower.triangularView<Lower>() * right; }
VectorXd plus_lower_product(const VectorXd& start, const MatrixXd& lower, std::span<const double> right) {
  return start + lower.triangularView<Lower>() * Map<const VectorXd>(right.data(), lower.cols());
}
VectorXd lower_transposed_product(const MatrixXd& lower, std::span<const double> right) {
  return lower.transpose().triangularView<Upper>() * Map<const VectorXd>(right.data(), lower.rows());
}
MatrixXd lower_solve(const MatrixXd& lower, const MatrixXd& right) {
  return lower.triangularView<Lower>().solve(right);
}
void lower_solve_in_place(Map<const MatrixXd> lower, Map<VectorXd> x) { lower.triangularView<Lower>().solveInPlace(x); }
void lower_transposed_solve_in_place(Map<const MatrixXd> lower, Map<VectorXd> x) {
  lower.transpose().triangularView<Upper>().solveInPlace(x);
}

void invert_lower(Eigen::Ref<MatrixXd> lower) {
  constexpr Index few = 96;
  const Index size = lower.rows(), half = size / 2, rest = size - half;
  if (size <= few) {
    MatrixXd inverse = MatrixXd::Identity(size, size);
    lower.triangularView<Lower>().solveInPlace(inverse);
    lower.triangularView<Lower>() = inverse;
    return;
  }
  invert_lower(lower.topLeftCorner(half, half));
  invert_lower(lower.bottomRightCorner(rest, rest));
  auto below = lower.bottomLeftCorner(rest, half);
  const MatrixXd product = lower.bottomRightCorner(rest, rest).triangularView<Lower>() * below;
  below = -(product * lower.topLeftCorner(half, half).triangularView<Lower>());
}

MatrixXd product(const MatrixXd& a, const MatrixXd& b) { return a * b; }
MatrixXd product_transposed(const MatrixXd& a, const MatrixXd& b) { return a * b.transpose(); }
MatrixXd transposed_product(const MatrixXd& a, const MatrixXd& b) { return a.transpose() * b; }
VectorXd product(const MatrixXd& a, const VectorXd& b) { return a * b; }
VectorXd transposed_product(const MatrixXd& a, const VectorXd& b) { return a.transpose() * b; }
VectorXd plus_product(const VectorXd& start, const MatrixXd& a, const VectorXd& b) { return start + a * b; }
MatrixXd minus_transposed_product(const MatrixXd& start, const MatrixXd& a, const MatrixXd& b) {
  return start - a.transpose() * b;
}

}  // namespace sgmcmc
