// By Eigen's decompositions.
#include "base/dense_matrix.hpp"

#include "base/decompositions.hpp"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>

namespace sgmcmc {
namespace {

Eigen::MatrixXd eigen_matrix(const DenseMatrix& matrix) {
  return Eigen::Map<const Eigen::MatrixXd>(matrix.numbers.data(), matrix.rows, matrix.columns);
}

DenseMatrix dense(const Eigen::MatrixXd& matrix) {
  DenseMatrix result(matrix.rows(), matrix.cols());
  std::copy_n(matrix.data(), matrix.size(), result.numbers.data());
  return result;
}

}  // namespace

DenseMatrix identity_matrix(std::int64_t size) {
  DenseMatrix result(size, size);
  for (std::int64_t i = 0; i < size; ++i) result(i, i) = 1;
  return result;
}

DenseMatrix lower_triangle(DenseMatrix matrix) {
  for (std::int64_t j = 1; j < matrix.columns; ++j)
    for (std::int64_t i = 0; i < std::min(j, matrix.rows); ++i) matrix(i, j) = 0;
  return matrix;
}

DenseMatrix product(const DenseMatrix& a, const DenseMatrix& b) {
  return dense(product(eigen_matrix(a), eigen_matrix(b)));
}

std::vector<double> product(const DenseMatrix& a, std::span<const double> b) {
  std::vector<double> result(static_cast<std::size_t>(a.rows));
  Eigen::Map<Eigen::VectorXd>(result.data(), a.rows).noalias() =
      Eigen::Map<const Eigen::MatrixXd>(a.numbers.data(), a.rows, a.columns) *
      Eigen::Map<const Eigen::VectorXd>(b.data(), a.columns);
  return result;
}

DenseMatrix product_transposed(const DenseMatrix& a, const DenseMatrix& b) {
  return dense(product_transposed(eigen_matrix(a), eigen_matrix(b)));
}

double plus_product(double start, std::span<const double> a, std::span<const double> b) {
  for (std::size_t i = 0; i < a.size(); ++i) start += a[i] * b[i];
  return start;
}

bool is_positive_definite(const DenseMatrix& matrix) { return Cholesky(eigen_matrix(matrix)).succeeded(); }

DenseMatrix cholesky_factor(const DenseMatrix& matrix) { return dense(Cholesky(eigen_matrix(matrix)).lower()); }

DenseMatrix correlation_factor(const DenseMatrix& partial) {
  DenseMatrix factor(partial.rows, partial.rows);
  for (std::int64_t i = 0; i < partial.rows; ++i) {
    double left = 1;
    for (std::int64_t j = 0; j < i; ++j) {
      factor(i, j) = partial(i, j) * std::sqrt(left);
      left *= 1 - partial(i, j) * partial(i, j);
    }
    factor(i, i) = std::sqrt(left);
  }
  return factor;
}

DenseMatrix inverse(const DenseMatrix& matrix) { return dense(eigen_matrix(matrix).inverse()); }

DenseMatrix transposed_inverse_of_lower(const DenseMatrix& lower) {
  const Eigen::MatrixXd factor = eigen_matrix(lower);
  const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(lower.rows, lower.columns);
  return dense(factor.transpose().triangularView<Eigen::Upper>().solve(identity));
}

DenseMatrix pseudo_inverse(const DenseMatrix& matrix) {
  return dense(eigen_matrix(matrix).completeOrthogonalDecomposition().pseudoInverse());
}

QrFactors qr_factors(const DenseMatrix& matrix, bool thin) {
  const Eigen::HouseholderQR<Eigen::MatrixXd> decomposition(eigen_matrix(matrix));
  const std::int64_t least = std::min(matrix.rows, matrix.columns), kept = thin ? least : matrix.rows;
  const Eigen::MatrixXd orthogonal = decomposition.householderQ() * Eigen::MatrixXd::Identity(matrix.rows, kept);
  const Eigen::MatrixXd& upper = decomposition.matrixQR();
  QrFactors factors{dense(orthogonal), DenseMatrix(kept, matrix.columns)};
  for (std::int64_t j = 0; j < matrix.columns; ++j)
    for (std::int64_t i = 0; i < std::min(j + 1, least); ++i) factors.triangular(i, j) = upper(i, j);
  for (std::int64_t i = 0; i < least; ++i) {
    if (factors.triangular(i, i) >= 0) continue;
    for (std::int64_t j = 0; j < matrix.columns; ++j) factors.triangular(i, j) *= -1;
    for (std::int64_t j = 0; j < matrix.rows; ++j) factors.orthogonal(j, i) *= -1;
  }
  return factors;
}

DenseMatrix left_singular_vectors(const DenseMatrix& matrix) {
  return dense(Eigen::JacobiSVD<Eigen::MatrixXd>(eigen_matrix(matrix), Eigen::ComputeThinU).matrixU());
}

DenseMatrix right_singular_vectors(const DenseMatrix& matrix) {
  return dense(Eigen::JacobiSVD<Eigen::MatrixXd>(eigen_matrix(matrix), Eigen::ComputeThinV).matrixV());
}

}  // namespace sgmcmc
