// QR factors by reflections, singular values by one-sided Jacobi rotations; products and Cholesky factors by Eigen.
#include "base/dense_matrix.hpp"

#include "base/decompositions.hpp"
#include "base/symmetric_eigen.hpp"
#include "base/vector_loops.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

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

double* column_of(DenseMatrix& matrix, std::int64_t j) { return matrix.numbers.data() + j * matrix.rows; }

DenseMatrix transposed(const DenseMatrix& matrix) {
  DenseMatrix result(matrix.columns, matrix.rows);
  for (std::int64_t j = 0; j < matrix.columns; ++j)
    for (std::int64_t i = 0; i < matrix.rows; ++i) result(j, i) = matrix(i, j);
  return result;
}

/// A = left * diag(values) * right', with descending values and as many columns as the smaller side of A.
struct SingularValues {
  DenseMatrix left, right;
  std::vector<double> values;
};

/// Rotates columns p and q of the matrix.
void rotate_columns(DenseMatrix& matrix, std::int64_t p, std::int64_t q, double c, double s) {
  double* left = column_of(matrix, p);
  double* right = column_of(matrix, q);
  for (std::int64_t i = 0; i < matrix.rows; ++i) {
    const double of_left = left[i], of_right = right[i];
    left[i] = c * of_left - s * of_right;
    right[i] = s * of_left + c * of_right;
  }
}

/// Of a matrix with at least as many rows as columns, by one-sided Jacobi rotations, which make its columns orthogonal
/// [Golub and Van Loan, Matrix Computations, section 8.6].
SingularValues singular_values_of_tall(const DenseMatrix& matrix) {
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  // Rotating the triangular factor of the QR decomposition takes n numbers per column instead of m.
  const QrFactors reduced = qr_factors(matrix, true);
  const std::int64_t n = matrix.columns;
  DenseMatrix turned = reduced.triangular, right = identity_matrix(n);
  bool turning = true;
  for (int sweep = 0; turning && sweep < 60; ++sweep) {
    turning = false;
    for (std::int64_t p = 0; p < n; ++p)
      for (std::int64_t q = p + 1; q < n; ++q) {
        const double* a = column_of(turned, p);
        const double* b = column_of(turned, q);
        double aa = 0, bb = 0, ab = 0;
        for (std::int64_t i = 0; i < n; ++i) {
          aa += a[i] * a[i];
          bb += b[i] * b[i];
          ab += a[i] * b[i];
        }
        if (!(std::abs(ab) > epsilon * std::sqrt(aa) * std::sqrt(bb))) continue;
        turning = true;
        const double half = (bb - aa) / (2 * ab);
        const double tangent = std::copysign(1 / (std::abs(half) + std::hypot(1.0, half)), half);
        const double c = 1 / std::hypot(1.0, tangent), s = c * tangent;
        rotate_columns(turned, p, q, c, s);
        rotate_columns(right, p, q, c, s);
      }
  }
  SingularValues found{DenseMatrix(n, n), DenseMatrix(n, n), std::vector<double>(static_cast<std::size_t>(n))};
  std::vector<std::pair<double, std::int64_t>> sizes;
  for (std::int64_t j = 0; j < n; ++j) {
    double sum = 0;
    for (std::int64_t i = 0; i < n; ++i) sum += turned(i, j) * turned(i, j);
    sizes.emplace_back(-std::sqrt(sum), j);
  }
  std::sort(sizes.begin(), sizes.end());
  DenseMatrix scaled(n, n);
  for (std::int64_t k = 0; k < n; ++k) {
    const auto [negative_size, j] = sizes[static_cast<std::size_t>(k)];
    found.values[static_cast<std::size_t>(k)] = -negative_size;
    std::copy_n(column_of(right, j), n, column_of(found.right, k));
    for (std::int64_t i = 0; i < n; ++i) scaled(i, k) = negative_size < 0 ? turned(i, j) / -negative_size : 0;
  }
  // The columns of singular values 0 are any that complete an orthogonal matrix: those of its QR factor.
  found.left = product(reduced.orthogonal, qr_factors(scaled, true).orthogonal);
  return found;
}

SingularValues singular_values(const DenseMatrix& matrix) {
  if (!std::all_of(matrix.numbers.begin(), matrix.numbers.end(), [](double x) { return std::isfinite(x); })) {
    const auto unknown = [least = std::min(matrix.rows, matrix.columns)](std::int64_t rows) {
      DenseMatrix numbers(rows, least);
      std::fill(numbers.numbers.begin(), numbers.numbers.end(), std::numeric_limits<double>::quiet_NaN());
      return numbers;
    };
    return {unknown(matrix.rows), unknown(matrix.columns), unknown(1).numbers};
  }
  if (matrix.rows >= matrix.columns) return singular_values_of_tall(matrix);
  SingularValues found = singular_values_of_tall(transposed(matrix));
  std::swap(found.left, found.right);
  return found;
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
  for (std::size_t j = 0; j < b.size(); ++j)
    add_multiple(result, b[j], std::span(a.numbers).subspan(j * result.size(), result.size()));
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

DenseMatrix inverse(const DenseMatrix& matrix) {
  const std::int64_t n = matrix.rows;
  DenseMatrix left = matrix, result = identity_matrix(n);  // elimination makes `left` the identity
  for (std::int64_t k = 0; k < n; ++k) {
    std::int64_t pivot = k;
    for (std::int64_t i = k + 1; i < n; ++i)
      if (std::abs(left(i, k)) > std::abs(left(pivot, k))) pivot = i;
    std::vector<double> column(column_of(left, k), column_of(left, k) + n);
    std::swap(column[static_cast<std::size_t>(k)], column[static_cast<std::size_t>(pivot)]);
    for (DenseMatrix* eliminated : {&left, &result})
      for (std::int64_t j = 0; j < n; ++j) {
        double* numbers = column_of(*eliminated, j);
        std::swap(numbers[k], numbers[pivot]);
        const double factor = numbers[k] / column[static_cast<std::size_t>(k)];
        if (factor != 0) add_multiple({numbers, column.size()}, -factor, column);
        numbers[k] = factor;
      }
  }
  return result;
}

DenseMatrix transposed_inverse_of_lower(const DenseMatrix& lower) {
  const std::int64_t n = lower.rows;
  DenseMatrix result(n, n);
  for (std::int64_t j = 0; j < n; ++j) {  // row j of L^-1, from right to left: (L^-1 L)_ji = 0 for i < j
    double* row = column_of(result, j);
    row[j] = 1 / lower(j, j);
    for (std::int64_t i = j; i-- > 0;) {
      double sum = 0;
      for (std::int64_t k = i + 1; k <= j; ++k) sum += row[k] * lower(k, i);
      row[i] = -sum / lower(i, i);
    }
  }
  return result;
}

DenseMatrix pseudo_inverse(const DenseMatrix& matrix) {
  SingularValues found = singular_values(matrix);
  const double largest = found.values.empty() ? 0 : found.values.front();
  const double least =
      std::numeric_limits<double>::epsilon() * static_cast<double>(std::max(matrix.rows, matrix.columns)) * largest;
  for (std::int64_t k = 0; k < found.right.columns; ++k) {
    const double value = found.values[static_cast<std::size_t>(k)];
    for (std::int64_t i = 0; i < found.right.rows; ++i) found.right(i, k) *= value > least ? 1 / value : 0;
  }
  return product_transposed(found.right, found.left);
}

QrFactors qr_factors(const DenseMatrix& matrix, bool thin) {
  DenseMatrix reduced = matrix;
  const std::int64_t rows = matrix.rows, least = std::min(rows, matrix.columns), kept = thin ? least : rows;
  std::vector<double> factors(static_cast<std::size_t>(least));
  QrFactors result{DenseMatrix(rows, kept), DenseMatrix(kept, matrix.columns)};
  for (std::int64_t k = 0; k < least; ++k) {
    double* v = column_of(reduced, k) + k;
    const Reflection reflection = make_reflection(v, rows - k);
    factors[static_cast<std::size_t>(k)] = reflection.factor;
    for (std::int64_t j = k + 1; j < matrix.columns; ++j)
      reflect(v, reflection.factor, column_of(reduced, j) + k, rows - k);
    v[0] = reflection.image;
  }
  for (std::int64_t j = 0; j < kept; ++j) {
    double* column = column_of(result.orthogonal, j);
    column[j] = 1;
    for (std::int64_t k = std::min(j + 1, least); k-- > 0;)
      reflect(column_of(reduced, k) + k, factors[static_cast<std::size_t>(k)], column + k, rows - k);
  }
  for (std::int64_t i = 0; i < least; ++i) {
    const bool negative = reduced(i, i) < 0;
    for (std::int64_t j = i; j < matrix.columns; ++j)
      result.triangular(i, j) = negative ? -reduced(i, j) : reduced(i, j);
    for (std::int64_t j = 0; negative && j < rows; ++j) result.orthogonal(j, i) *= -1;
  }
  return result;
}

DenseMatrix left_singular_vectors(const DenseMatrix& matrix) { return singular_values(matrix).left; }
DenseMatrix right_singular_vectors(const DenseMatrix& matrix) { return singular_values(matrix).right; }

}  // namespace sgmcmc
