// LU factors with partial pivoting, and Pade approximants.
#include "plan/matrix_functions.hpp"

#include "base/symmetric_eigen.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace sgmcmc {
namespace {

/// Factors in place; row i of the result was row pivots[i] after the swaps before it. Returns the sign of the swaps.
template <class Real>
Real factorise(Real* a, Real* pivots, std::int64_t n) {
  Real sign = 1;
  for (std::int64_t k = 0; k < n; ++k) {
    std::int64_t largest = k;
    for (std::int64_t i = k + 1; i < n; ++i)
      if (std::abs(a[i * n + k]) > std::abs(a[largest * n + k])) largest = i;
    pivots[k] = static_cast<Real>(largest);
    if (largest != k) {
      std::swap_ranges(a + k * n, a + (k + 1) * n, a + largest * n);
      sign = -sign;
    }
    for (std::int64_t i = k + 1; i < n; ++i) {
      const Real factor = a[i * n + k] / a[k * n + k];
      a[i * n + k] = factor;
      for (std::int64_t j = k + 1; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
    }
  }
  return sign;
}

/// Rows of x side by side: `columns` right-hand sides at once.
template <class Real>
struct Rows {
  Real* x;
  std::int64_t columns;

  void subtract(std::int64_t to, Real factor, std::int64_t from) {
    for (std::int64_t c = 0; c < columns; ++c) x[to * columns + c] -= factor * x[from * columns + c];
  }
  void divide(std::int64_t row, Real divisor) {
    for (std::int64_t c = 0; c < columns; ++c) x[row * columns + c] /= divisor;
  }
  void swap(std::int64_t i, std::int64_t j) {
    if (i != j) std::swap_ranges(x + i * columns, x + (i + 1) * columns, x + j * columns);
  }
};

template <class Real>
void substitute(const Real* lu, const Real* pivots, std::int64_t n, Rows<Real> x, bool transposed) {
  const auto pivot = [&](std::int64_t k) { return static_cast<std::int64_t>(pivots[k]); };
  if (!transposed) {
    for (std::int64_t k = 0; k < n; ++k) x.swap(k, pivot(k));
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < i; ++j) x.subtract(i, lu[i * n + j], j);
    for (std::int64_t i = n - 1; i >= 0; --i) {
      for (std::int64_t j = i + 1; j < n; ++j) x.subtract(i, lu[i * n + j], j);
      x.divide(i, lu[i * n + i]);
    }
    return;
  }
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < i; ++j) x.subtract(i, lu[j * n + i], j);
    x.divide(i, lu[i * n + i]);
  }
  for (std::int64_t i = n - 1; i >= 0; --i)
    for (std::int64_t j = i + 1; j < n; ++j) x.subtract(i, lu[j * n + i], j);
  for (std::int64_t k = n - 1; k >= 0; --k) x.swap(k, pivot(k));
}

template <class Real>
void multiply(const Real* a, const Real* b, Real* out, std::int64_t n) {
  std::fill_n(out, n * n, Real(0));
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t k = 0; k < n; ++k)
      for (std::int64_t j = 0; j < n; ++j) out[i * n + j] += a[i * n + k] * b[k * n + j];
}

}  // namespace

std::int64_t matrix_memory(Op op, std::int64_t n) {
  switch (op) {
    case Op::solve:
    case Op::determinant:
    case Op::log_determinant: return n * n + n;
    case Op::matrix_exp: return 6 * n * n + n;
    default: return 0;
  }
}

template <class Real>
void solve_general(const Real* a, const Real* b, Real* x, std::int64_t n, std::int64_t columns, bool transposed,
                   Real* memory) {
  Real* pivots = memory + n * n;
  std::copy_n(a, n * n, memory);
  factorise(memory, pivots, n);
  std::copy_n(b, n * columns, x);
  substitute(memory, pivots, n, Rows<Real>{x, columns}, transposed);
}

template <class Real>
Real determinant(const Real* a, std::int64_t n, bool logarithm, Real* memory) {
  std::copy_n(a, n * n, memory);
  Real result = factorise(memory, memory + n * n, n);
  if (logarithm) result = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const Real pivot = memory[i * n + i];
    // A zero pivot leaves NaN in the rows below it, but the determinant is known to be zero.
    if (pivot == 0) return logarithm ? -std::numeric_limits<Real>::infinity() : Real(0);
    result = logarithm ? result + std::log(std::abs(pivot)) : result * pivot;
  }
  return result;
}

template <class Real>
void matrix_exponential(const Real* a, Real* out, std::int64_t n, Real* memory) {
  // Pade approximant of order 13 of A / 2^s, squared s times; coefficients of its numerator.
  constexpr double pade[] = {64764752532480000.0,
                             32382376266240000.0,
                             7771770303897600.0,
                             1187353796428800.0,
                             129060195264000.0,
                             10559470521600.0,
                             670442572800.0,
                             33522128640.0,
                             1323241920.0,
                             40840800.0,
                             960960.0,
                             16380.0,
                             182.0,
                             1.0};
  constexpr double largest_norm = 5.3;
  const std::int64_t size = n * n;
  Real* scaled = memory;
  Real* squared = memory + size;
  Real* fourth = memory + 2 * size;
  Real* sixth = memory + 3 * size;
  Real* odd = memory + 4 * size;
  Real* even = memory + 5 * size;
  Real* pivots = memory + 6 * size;
  double norm = 0;
  for (std::int64_t j = 0; j < n; ++j) {
    double total = 0;
    for (std::int64_t i = 0; i < n; ++i) total += std::abs(static_cast<double>(a[i * n + j]));
    norm = std::isnan(total) ? total : std::max(norm, total);
  }
  if (!std::isfinite(norm)) {
    std::fill_n(out, size, std::numeric_limits<Real>::quiet_NaN());
    return;
  }
  const int squarings = norm > largest_norm ? static_cast<int>(std::ceil(std::log2(norm / largest_norm))) : 0;
  const Real scale = static_cast<Real>(std::ldexp(1.0, -squarings));
  for (std::int64_t i = 0; i < size; ++i) scaled[i] = a[i] * scale;
  multiply(scaled, scaled, squared, n);
  multiply(squared, squared, fourth, n);
  multiply(fourth, squared, sixth, n);
  // c0 + c1 A^2 + ... + c6 A^12 in three products, with every second coefficient from `first` on, relative to the first
  // coefficient of all, so that floats do not overflow.
  const auto polynomial = [&](std::size_t first, Real* to, Real* spare) {
    const auto c = [&](std::size_t k) { return static_cast<Real>(pade[first + 2 * k] / pade[0]); };
    for (std::int64_t i = 0; i < size; ++i) spare[i] = c(6) * sixth[i] + c(5) * fourth[i] + c(4) * squared[i];
    multiply(spare, sixth, to, n);
    for (std::int64_t i = 0; i < size; ++i) to[i] += c(3) * sixth[i] + c(2) * fourth[i] + c(1) * squared[i];
    for (std::int64_t i = 0; i < n; ++i) to[i * n + i] += c(0);
  };
  polynomial(1, even, out);
  multiply(scaled, even, odd, n);
  polynomial(0, even, out);
  // (even - odd)^-1 (even + odd)
  for (std::int64_t i = 0; i < size; ++i) {
    scaled[i] = even[i] - odd[i];
    out[i] = even[i] + odd[i];
  }
  factorise(scaled, pivots, n);
  substitute(scaled, pivots, n, Rows<Real>{out, n}, false);
  for (int s = 0; s < squarings; ++s) {
    multiply(out, out, squared, n);
    std::copy_n(squared, size, out);
  }
}

template <class Real>
void symmetric_spectrum(const Real* a, Real* values, Real* vectors, std::int64_t n) {
  const std::int64_t few = 32;  // larger matrices are allocated, at negligible cost next to n^3 work
  std::array<double, few*(few + 3)> on_stack;
  std::vector<double> allocated;
  if (n > few) allocated.resize(static_cast<std::size_t>(n * (n + 3)));
  double* matrix = n > few ? allocated.data() : on_stack.data();
  double* found = matrix + n * n;
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = j; i < n; ++i) matrix[j * n + i] = static_cast<double>(a[i * n + j]);
  symmetric_eigen_in_place(matrix, n, found, vectors != nullptr, found + n);
  for (std::int64_t i = 0; i < n; ++i) {
    if (values) values[i] = static_cast<Real>(found[i]);
    for (std::int64_t j = 0; vectors && j < n; ++j) vectors[i * n + j] = static_cast<Real>(matrix[j * n + i]);
  }
}

#define SGMCMC_INSTANTIATE(Real)                                                                               \
  template void solve_general<Real>(const Real*, const Real*, Real*, std::int64_t, std::int64_t, bool, Real*); \
  template Real determinant<Real>(const Real*, std::int64_t, bool, Real*);                                     \
  template void matrix_exponential<Real>(const Real*, Real*, std::int64_t, Real*);                             \
  template void symmetric_spectrum<Real>(const Real*, Real*, Real*, std::int64_t);
SGMCMC_INSTANTIATE(double)
SGMCMC_INSTANTIATE(float)

}  // namespace sgmcmc
