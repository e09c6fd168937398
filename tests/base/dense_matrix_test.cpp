// Functions of matrices without Eigen's types, against identities.
#include "base/dense_matrix.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

namespace sgmcmc {
namespace {

DenseMatrix some_matrix(std::int64_t rows, std::int64_t columns) {
  DenseMatrix matrix(rows, columns);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j)
      matrix(i, j) = std::sin(1.0 + static_cast<double>(3 * i * i + 7 * j + i * j));
  return matrix;
}

DenseMatrix transposed(const DenseMatrix& matrix) {
  DenseMatrix result(matrix.columns, matrix.rows);
  for (std::int64_t i = 0; i < matrix.rows; ++i)
    for (std::int64_t j = 0; j < matrix.columns; ++j) result(j, i) = matrix(i, j);
  return result;
}

/// The largest difference of elements; infinite for matrices of different sizes.
double distance(const DenseMatrix& a, const DenseMatrix& b) {
  if (a.rows != b.rows || a.columns != b.columns) return INFINITY;
  double largest = 0;
  for (std::size_t i = 0; i < a.numbers.size(); ++i) largest = std::max(largest, std::abs(a.numbers[i] - b.numbers[i]));
  return largest;
}

DenseMatrix positive_definite(std::int64_t size) {
  const DenseMatrix root = some_matrix(size, size);
  DenseMatrix matrix = product_transposed(root, root);
  for (std::int64_t i = 0; i < size; ++i) matrix(i, i) += 1;
  return matrix;
}

TEST(DenseMatrix, Products_AreSumsOverElements) {
  const DenseMatrix a = some_matrix(3, 4), b = some_matrix(4, 2);
  DenseMatrix expected(3, 2);
  for (std::int64_t i = 0; i < 3; ++i)
    for (std::int64_t j = 0; j < 2; ++j)
      for (std::int64_t k = 0; k < 4; ++k) expected(i, j) += a(i, k) * b(k, j);
  EXPECT_LT(distance(product(a, b), expected), 1e-14);
  EXPECT_LT(distance(product_transposed(a, transposed(b)), expected), 1e-14);
  const auto column = product(a, std::span<const double>(b.numbers).first(4));
  for (std::int64_t i = 0; i < 3; ++i) EXPECT_NEAR(column[static_cast<std::size_t>(i)], expected(i, 0), 1e-14);
  EXPECT_EQ(plus_product(1.0, std::vector<double>{2, 3}, std::vector<double>{5, 7}), 32.0);
}

TEST(DenseMatrix, CholeskyFactorAndInverses_MakeTheMatrixAgain) {
  const DenseMatrix matrix = positive_definite(5), lower = cholesky_factor(matrix);
  EXPECT_LT(distance(product_transposed(lower, lower), matrix), 1e-13);
  EXPECT_EQ(distance(lower_triangle(lower), lower), 0.0);
  EXPECT_LT(distance(product(matrix, inverse(matrix)), identity_matrix(5)), 1e-12);
  EXPECT_LT(distance(product(transposed(lower), transposed_inverse_of_lower(lower)), identity_matrix(5)), 1e-13);
}

TEST(DenseMatrix, MatrixWithANegativeEigenvalue_IsNotPositiveDefinite) {
  DenseMatrix matrix = positive_definite(4);
  EXPECT_TRUE(is_positive_definite(matrix));
  matrix(3, 3) = -1;
  EXPECT_FALSE(is_positive_definite(matrix));
}

TEST(DenseMatrix, QrFactors_AreOrthogonalAndTriangularWithAPositiveDiagonal) {
  for (const auto& [rows, columns] : {std::pair{5, 3}, std::pair{3, 5}, std::pair{4, 4}}) {
    const DenseMatrix matrix = some_matrix(rows, columns);
    for (const bool thin : {false, true}) {
      const QrFactors factors = qr_factors(matrix, thin);
      EXPECT_EQ(factors.orthogonal.columns, thin ? std::min(rows, columns) : rows);
      EXPECT_LT(distance(product(factors.orthogonal, factors.triangular), matrix), 1e-13);
      const DenseMatrix across = transposed(factors.orthogonal);
      EXPECT_LT(distance(product(across, factors.orthogonal), identity_matrix(across.rows)), 1e-13);
      for (std::int64_t j = 0; j < columns; ++j) {
        if (j < rows) {
          EXPECT_GE(factors.triangular(j, j), 0.0);
        }
        for (std::int64_t i = j + 1; i < factors.triangular.rows; ++i) EXPECT_EQ(factors.triangular(i, j), 0.0);
      }
    }
  }
}

TEST(DenseMatrix, SingularVectors_DiagonaliseTheMatrix) {
  const DenseMatrix matrix = some_matrix(5, 3);
  const DenseMatrix left = left_singular_vectors(matrix), right = right_singular_vectors(matrix);
  const DenseMatrix values = product(product(transposed(left), matrix), right);
  for (std::int64_t i = 0; i < 3; ++i)
    for (std::int64_t j = 0; j < 3; ++j) EXPECT_NEAR(i == j ? 0.0 : values(i, j), 0.0, 1e-13);
}

TEST(DenseMatrix, SingularVectors_OfDeficientWideAndZeroMatricesAreOrthogonal) {
  DenseMatrix deficient = some_matrix(6, 4);
  for (std::int64_t i = 0; i < 6; ++i) {
    deficient(i, 2) = deficient(i, 0) - 2 * deficient(i, 1);
    deficient(i, 3) = 0;
  }
  for (const DenseMatrix& matrix : {deficient, transposed(deficient), DenseMatrix(3, 2), DenseMatrix(1, 1)}) {
    const DenseMatrix left = left_singular_vectors(matrix), right = right_singular_vectors(matrix);
    const DenseMatrix identity = identity_matrix(std::min(matrix.rows, matrix.columns));
    EXPECT_LT(distance(product(transposed(left), left), identity), 1e-13);
    EXPECT_LT(distance(product(transposed(right), right), identity), 1e-13);
    const DenseMatrix values = product(product(transposed(left), matrix), right);
    for (std::int64_t i = 0; i < values.rows; ++i) {
      for (std::int64_t j = 0; j < values.columns; ++j) EXPECT_NEAR(i == j ? 0.0 : values(i, j), 0.0, 1e-13);
      if (i > 0) {
        EXPECT_LE(values(i, i), values(i - 1, i - 1) + 1e-13);
      }
    }
    EXPECT_LT(distance(product(product(left, values), transposed(right)), matrix), 1e-13);
  }
}

TEST(DenseMatrix, NumbersThatAreNotFinite_MakeResultsNan) {
  DenseMatrix matrix = some_matrix(4, 3);
  matrix(2, 1) = INFINITY;
  for (const double x : left_singular_vectors(matrix).numbers) EXPECT_TRUE(std::isnan(x));
  for (const double x : pseudo_inverse(matrix).numbers) EXPECT_TRUE(std::isnan(x));
}

TEST(DenseMatrix, InverseOfASingularMatrix_IsNotFinite) {
  const DenseMatrix inverted = inverse(DenseMatrix(3, 3));
  EXPECT_TRUE(
      std::none_of(inverted.numbers.begin(), inverted.numbers.end(), [](double x) { return std::isfinite(x); }));
}

TEST(DenseMatrix, PseudoInverse_IsAnInverseOnTheRange) {
  const DenseMatrix matrix = some_matrix(5, 3);
  EXPECT_LT(distance(product(pseudo_inverse(matrix), matrix), identity_matrix(3)), 1e-12);

  DenseMatrix deficient = matrix;
  for (std::int64_t i = 0; i < 5; ++i) deficient(i, 2) = deficient(i, 0) + deficient(i, 1);
  for (const DenseMatrix& a : {deficient, transposed(deficient)}) {  // the four conditions of Moore and Penrose
    const DenseMatrix inverted = pseudo_inverse(a), left = product(a, inverted), right = product(inverted, a);
    EXPECT_LT(distance(product(left, a), a), 1e-12);
    EXPECT_LT(distance(product(right, inverted), inverted), 1e-12);
    EXPECT_LT(distance(transposed(left), left), 1e-12);
    EXPECT_LT(distance(transposed(right), right), 1e-12);
  }
}

TEST(DenseMatrix, CorrelationFactor_HasRowsOfUnitLength) {
  DenseMatrix partial(4, 4);
  for (std::int64_t i = 0; i < 4; ++i)
    for (std::int64_t j = 0; j < i; ++j) partial(i, j) = 0.3 * static_cast<double>(i - 2 * j) / 2;
  const DenseMatrix factor = correlation_factor(partial), matrix = product_transposed(factor, factor);
  for (std::int64_t i = 0; i < 4; ++i) EXPECT_NEAR(matrix(i, i), 1.0, 1e-14);
  for (std::int64_t i = 1; i < 4; ++i) EXPECT_NEAR(matrix(i, 0), partial(i, 0), 1e-14);
}

}  // namespace
}  // namespace sgmcmc
