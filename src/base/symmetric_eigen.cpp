// Loops over columns, so that they are vectorised.
#include "base/symmetric_eigen.hpp"

#include "base/vector_loops.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sgmcmc {
namespace {

constexpr double machine_epsilon = std::numeric_limits<double>::epsilon();

double inner_product(const double* a, const double* b, std::int64_t size) {
  double sum = 0;
  SGMCMC_INDEPENDENT_ITERATIONS(reduction(+ : sum))
  for (std::int64_t i = 0; i < size; ++i) sum += a[i] * b[i];
  return sum;
}

/// out = A v for a symmetric A, of which this is the lower triangle.
void symmetric_product(const double* lower, std::int64_t stride, std::int64_t n, const double* v, double* out) {
  std::fill_n(out, n, 0.0);
  for (std::int64_t j = 0; j < n; ++j) {
    const double* column = lower + j * stride;
    const double factor = v[j];
    out[j] += column[j] * factor;
    double sum = 0;
    SGMCMC_INDEPENDENT_ITERATIONS(reduction(+ : sum))
    for (std::int64_t i = j + 1; i < n; ++i) {
      out[i] += column[i] * factor;
      sum += column[i] * v[i];
    }
    out[j] += sum;
  }
}

/// Reduces the lower triangle of `a` to a tridiagonal matrix. Column k keeps the k-th reflection, whose factor goes
/// into factors[k].
void tridiagonalise(double* a, std::int64_t n, double* diagonal, double* beside, double* factors) {
  for (std::int64_t k = 0; k + 1 < n; ++k) {
    const std::int64_t rest = n - k - 1;
    double* v = a + k * n + k + 1;
    double* below = a + (k + 1) * n + k + 1;
    diagonal[k] = a[k * n + k];
    const Reflection reflection = make_reflection(v, rest);
    beside[k] = reflection.image;
    factors[k] = reflection.factor;
    if (reflection.factor == 0) continue;
    v[0] = 1;
    double* w = factors + k + 1;  // the factors to come need no memory yet
    symmetric_product(below, n, rest, v, w);
    const double half = 0.5 * reflection.factor * inner_product(v, w, rest);
    for (std::int64_t i = 0; i < rest; ++i) w[i] = reflection.factor * (w[i] - half * v[i]);
    for (std::int64_t j = 0; j < rest; ++j) {  // A -= v w' + w v'
      double* column = below + j * n;
      const double of_w = v[j], of_v = w[j];
      SGMCMC_INDEPENDENT_ITERATIONS()
      for (std::int64_t i = j; i < rest; ++i) column[i] -= v[i] * of_v + w[i] * of_w;
    }
  }
  if (n > 0) diagonal[n - 1] = a[n * n - 1];
}

/// Replaces the reflections in the columns of `a` by their product.
void multiply_reflections(double* a, std::int64_t n, const double* factors) {
  for (std::int64_t k = n - 1; k-- > 0;) {
    const std::int64_t first = k + 1, rest = n - first;
    // The product of later reflections fills rows and columns after `first`.
    std::fill_n(a + first * n + first, rest, 0.0);
    a[first * n + first] = 1;
    for (std::int64_t j = first + 1; j < n; ++j) a[j * n + first] = 0;
    for (std::int64_t j = first; j < n; ++j) reflect(a + k * n + first, factors[k], a + j * n + first, rest);
  }
  std::fill_n(a, n, 0.0);
  for (std::int64_t j = 0; j < n; ++j) a[j * n] = 0;
  if (n > 0) a[0] = 1;
}

/// One step of the implicit QR algorithm on rows first to last, with Wilkinson's shift.
void qr_step(double* diagonal, double* beside, std::int64_t first, std::int64_t last, double* vectors,
             std::int64_t rows) {
  const double half = 0.5 * (diagonal[last - 1] - diagonal[last]), corner = beside[last - 1];
  double shift = diagonal[last] - std::abs(corner);
  if (half != 0) shift = diagonal[last] - corner / ((half + std::copysign(std::hypot(half, corner), half)) / corner);
  double x = diagonal[first] - shift, z = beside[first];
  for (std::int64_t k = first; k < last && z != 0; ++k) {
    const double length = std::hypot(x, z), c = x / length, s = z / length;
    const double upper = diagonal[k], lower = diagonal[k + 1], between = beside[k];
    diagonal[k] = c * c * upper + 2 * c * s * between + s * s * lower;
    diagonal[k + 1] = s * s * upper - 2 * c * s * between + c * c * lower;
    beside[k] = (c - s) * (c + s) * between + c * s * (lower - upper);
    if (k > first) beside[k - 1] = length;
    x = beside[k];
    if (k + 1 < last) {
      z = s * beside[k + 1];
      beside[k + 1] *= c;
    }
    if (!vectors) continue;
    double* left = vectors + k * rows;
    double* right = left + rows;
    SGMCMC_INDEPENDENT_ITERATIONS()
    for (std::int64_t i = 0; i < rows; ++i) {
      const double of_left = left[i], of_right = right[i];
      left[i] = c * of_left + s * of_right;
      right[i] = c * of_right - s * of_left;
    }
  }
}

void fill_with_nan(double* numbers, std::int64_t count) {
  std::fill_n(numbers, count, std::numeric_limits<double>::quiet_NaN());
}

}  // namespace

Reflection make_reflection(double* x, std::int64_t size) {
  const double first = x[0], below = inner_product(x + 1, x + 1, size - 1);
  if (!(below > std::numeric_limits<double>::min())) {
    std::fill_n(x + 1, size - 1, 0.0);
    return {0, first};
  }
  const double image = -std::copysign(std::sqrt(first * first + below), first);
  const double scale = 1 / (first - image);
  for (std::int64_t i = 1; i < size; ++i) x[i] *= scale;
  return {(image - first) / image, image};
}

void reflect(const double* v, double factor, double* column, std::int64_t size) {
  const double along = factor * (column[0] + inner_product(v + 1, column + 1, size - 1));
  column[0] -= along;
  const auto below = static_cast<std::size_t>(size - 1);
  add_multiple({column + 1, below}, -along, {v + 1, below});
}

void tridiagonal_eigen(std::int64_t n, double* diagonal, double* beside, double* vectors, std::int64_t rows) {
  const auto is_finite = [](double x) { return std::isfinite(x); };
  bool found = std::all_of(diagonal, diagonal + n, is_finite) &&
               std::all_of(beside, beside + std::max<std::int64_t>(n - 1, 0), is_finite);
  std::int64_t last = n - 1, steps_left = 30 * n;
  while (found && last > 0) {
    for (std::int64_t i = 0; i < last; ++i) {
      const double size = std::abs(diagonal[i]) + std::abs(diagonal[i + 1]);
      if (std::abs(beside[i]) <= std::max(machine_epsilon * size, std::numeric_limits<double>::min())) beside[i] = 0;
    }
    while (last > 0 && beside[last - 1] == 0) --last;
    if (last == 0) break;
    std::int64_t first = last - 1;
    while (first > 0 && beside[first - 1] != 0) --first;
    found = steps_left-- > 0;
    qr_step(diagonal, beside, first, last, vectors, rows);
  }
  if (!found) {
    fill_with_nan(diagonal, n);
    if (vectors) fill_with_nan(vectors, n * rows);
    return;
  }
  for (std::int64_t k = 0; k + 1 < n; ++k) {
    const std::int64_t least = std::min_element(diagonal + k, diagonal + n) - diagonal;
    if (least == k) continue;
    std::swap(diagonal[k], diagonal[least]);
    if (vectors) std::swap_ranges(vectors + k * rows, vectors + (k + 1) * rows, vectors + least * rows);
  }
}

void symmetric_eigen_in_place(double* matrix, std::int64_t n, double* values, bool want_vectors, double* memory) {
  double largest = 0;  // numbers near 1 neither overflow nor underflow when squared
  bool finite = true;
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = j; i < n; ++i) {
      const double size = std::abs(matrix[j * n + i]);
      finite = finite && std::isfinite(size);
      largest = std::max(largest, size);
    }
  if (!finite) {
    fill_with_nan(values, n);
    fill_with_nan(matrix, n * n);
    return;
  }
  const double scale = largest > 0 ? largest : 1;
  for (std::int64_t i = 0; i < n * n; ++i) matrix[i] /= scale;
  double* beside = memory;
  double* factors = memory + n;
  tridiagonalise(matrix, n, values, beside, factors);
  if (want_vectors) multiply_reflections(matrix, n, factors);
  tridiagonal_eigen(n, values, beside, want_vectors ? matrix : nullptr, n);
  for (std::int64_t i = 0; i < n; ++i) values[i] *= scale;
}

}  // namespace sgmcmc
