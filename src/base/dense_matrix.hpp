// Dense matrices and functions of them without Eigen's types, which take seconds to compile: for code that runs once
// per model, or once per simulated data set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sgmcmc {

struct DenseMatrix {
  DenseMatrix() = default;
  DenseMatrix(std::int64_t of_rows, std::int64_t of_columns)  ///< of zeros
      : rows(of_rows), columns(of_columns), numbers(static_cast<std::size_t>(of_rows * of_columns)) {}

  double& operator()(std::int64_t i, std::int64_t j) { return numbers[static_cast<std::size_t>(j * rows + i)]; }
  double operator()(std::int64_t i, std::int64_t j) const { return numbers[static_cast<std::size_t>(j * rows + i)]; }

  std::int64_t rows = 0, columns = 0;
  std::vector<double> numbers;  ///< column by column
};

DenseMatrix identity_matrix(std::int64_t size);
DenseMatrix lower_triangle(DenseMatrix matrix);  ///< with zeros above the diagonal

DenseMatrix product(const DenseMatrix& a, const DenseMatrix& b);
std::vector<double> product(const DenseMatrix& a, std::span<const double> b);
DenseMatrix product_transposed(const DenseMatrix& a, const DenseMatrix& b);               ///< a b'
double plus_product(double start, std::span<const double> a, std::span<const double> b);  ///< start + a'b, in order

/// These read only the lower triangle of a symmetric matrix.
bool is_positive_definite(const DenseMatrix& matrix);
DenseMatrix cholesky_factor(const DenseMatrix& matrix);  ///< the lower triangular L with L L' = A

/// The Cholesky factor of the correlation matrix with these partial correlations, below the diagonal [Lewandowski,
/// Kurowicka and Joe 2009].
DenseMatrix correlation_factor(const DenseMatrix& partial);

DenseMatrix inverse(const DenseMatrix& matrix);
DenseMatrix transposed_inverse_of_lower(const DenseMatrix& lower);  ///< L'^-1
DenseMatrix pseudo_inverse(const DenseMatrix& matrix);

/// orthogonal * triangular = A, with a non-negative diagonal of `triangular`.
struct QrFactors {
  DenseMatrix orthogonal, triangular;
};
/// Thin factors have no more columns, or rows, than needed.
QrFactors qr_factors(const DenseMatrix& matrix, bool thin);

/// Thin matrices of singular vectors, as columns.
DenseMatrix left_singular_vectors(const DenseMatrix& matrix);
DenseMatrix right_singular_vectors(const DenseMatrix& matrix);

}  // namespace sgmcmc
