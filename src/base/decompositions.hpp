// Decompositions and products of dense matrices, compiled once: each of Eigen's own takes seconds in every file that
// uses it. Products and triangular solves return what Eigen's expressions in their comments
// return, digit for digit.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <span>
#include <vector>

namespace sgmcmc {

/// The lower triangular L with L L' = A, for a symmetric positive definite A.
class Cholesky {
 public:
  Cholesky() = default;
  explicit Cholesky(Eigen::Index size);                                ///< computing then allocates nothing
  explicit Cholesky(const Eigen::Ref<const Eigen::MatrixXd>& matrix);  ///< reads the lower triangle
  void compute(const Eigen::Ref<const Eigen::MatrixXd>& matrix);

  bool succeeded() const;                  ///< whether A is positive definite
  const Eigen::MatrixXd& numbers() const;  ///< L in the lower triangle; the rest is undefined
  Eigen::MatrixXd lower() const;           ///< L, with zeros above the diagonal
  double sum_of_logs() const;              ///< of the diagonal of L: half the log determinant of A

  Eigen::MatrixXd inverse() const;
  Eigen::MatrixXd solve(const Eigen::MatrixXd& right) const;
  Eigen::VectorXd solve(const Eigen::VectorXd& right) const;
  Eigen::MatrixXd solve_lower(const Eigen::MatrixXd& right) const;  ///< L^-1 right
  Eigen::MatrixXd solve_upper(const Eigen::MatrixXd& right) const;  ///< L'^-1 right
  Eigen::VectorXd solve_upper(const Eigen::VectorXd& right) const;
  void solve_lower_in_place(Eigen::Map<Eigen::VectorXd> x) const;  ///< these two allocate nothing
  void solve_upper_in_place(Eigen::Map<Eigen::VectorXd> x) const;

 private:
  Eigen::LLT<Eigen::MatrixXd> factor_;
};

/// P' L D L' P = A, for a symmetric positive semidefinite A, whose pivots may be 0.
class PivotedCholesky {
 public:
  explicit PivotedCholesky(const Eigen::MatrixXd& matrix);   ///< reads the lower triangle
  bool succeeded() const { return succeeded_; }              ///< false if A is not finite, or far from semidefinite
  const Eigen::VectorXd& pivots() const { return pivots_; }  ///< the diagonal of D
  Eigen::MatrixXd solve(const Eigen::MatrixXd& right) const;
  Eigen::MatrixXd root() const;  ///< F = P' L D^(1/2), so that F F' = A

 private:
  Eigen::MatrixXd lower_;  // L, below the diagonal; the diagonal is 1
  Eigen::VectorXd pivots_;
  std::vector<Eigen::Index> order_;  // row i of L is row order_[i] of A
  bool succeeded_ = true;
};

/// Least squares with any rank, by a QR decomposition with column pivoting.
class LeastSquares {
 public:
  explicit LeastSquares(const Eigen::MatrixXd& design);
  Eigen::Index rank() const { return rank_; }
  Eigen::MatrixXd solve(const Eigen::MatrixXd& right) const;
  /// The shortest t with design' t = right.
  Eigen::VectorXd shortest_of_transposed(const Eigen::VectorXd& right) const;

 private:
  Eigen::MatrixXd reduced_;  // R; below its diagonal, the reflections
  std::vector<double> factors_;
  std::vector<Eigen::Index> order_;  // column k of R is column order_[k] of the design
  Eigen::Index rank_ = 0;
};

/// A = vectors * diag(values) * vectors', with ascending values.
struct SymmetricEigen {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
};

/// For a symmetric matrix; reads only its lower triangle. All NaN if it is not finite.
SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& matrix);
/// vectors * diag(values) * vectors'
Eigen::MatrixXd with_eigenvalues(const Eigen::MatrixXd& vectors, const Eigen::VectorXd& values);

/// The sum of the singular values of a square matrix, to within rounding of the largest.
double nuclear_norm(Eigen::MatrixXd matrix);

// Lower triangular matrices; numbers above the diagonal are not read.
Eigen::MatrixXd lower_product(const Eigen::MatrixXd& lower, const Eigen::MatrixXd& right);  ///< L right
Eigen::VectorXd plus_lower_product(const Eigen::VectorXd& start, const Eigen::MatrixXd& lower,
                                   std::span<const double> right);  ///< start + L right
Eigen::VectorXd lower_transposed_product(const Eigen::MatrixXd& lower, std::span<const double> right);  ///< L' right
Eigen::MatrixXd lower_solve(const Eigen::MatrixXd& lower, const Eigen::MatrixXd& right);                ///< L^-1 right
void lower_solve_in_place(Eigen::Map<const Eigen::MatrixXd> lower, Eigen::Map<Eigen::VectorXd> x);
void lower_transposed_solve_in_place(Eigen::Map<const Eigen::MatrixXd> lower, Eigen::Map<Eigen::VectorXd> x);
/// In place, recursively by halves, so that most of the work is matrix products.
void invert_lower(Eigen::Ref<Eigen::MatrixXd> lower);

Eigen::MatrixXd product(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);             ///< a b
Eigen::MatrixXd product_transposed(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);  ///< a b'
Eigen::MatrixXd transposed_product(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);  ///< a' b
Eigen::VectorXd product(const Eigen::MatrixXd& a, const Eigen::VectorXd& b);
Eigen::VectorXd transposed_product(const Eigen::MatrixXd& a, const Eigen::VectorXd& b);
// Eigen's sums begin with `start`: adding the product to it would round differently.
Eigen::VectorXd plus_product(const Eigen::VectorXd& start, const Eigen::MatrixXd& a, const Eigen::VectorXd& b);
Eigen::MatrixXd minus_transposed_product(const Eigen::MatrixXd& start, const Eigen::MatrixXd& a,
                                         const Eigen::MatrixXd& b);  ///< start - a' b

}  // namespace sgmcmc
