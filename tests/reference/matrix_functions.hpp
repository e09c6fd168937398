// Reference functions of matrices, for double and dual numbers: elimination, Taylor series, Jacobi rotations.
#pragma once

#include "reference/dual.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace sgmcmc::reference {

/// Solves A x = b for `columns` right-hand sides by elimination, and returns the determinant of A.
template <class S>
S eliminate(std::vector<S> a, S* x, std::int64_t n, std::int64_t columns) {
  S determinant(1.0);
  for (std::int64_t k = 0; k < n; ++k) {
    std::int64_t pivot = k;
    for (std::int64_t i = k; i < n; ++i)
      if (std::abs(primal(a[i * n + k])) > std::abs(primal(a[pivot * n + k]))) pivot = i;
    if (pivot != k) {
      for (std::int64_t j = 0; j < n; ++j) std::swap(a[k * n + j], a[pivot * n + j]);
      for (std::int64_t c = 0; c < columns; ++c) std::swap(x[k * columns + c], x[pivot * columns + c]);
      determinant = -determinant;
    }
    determinant = determinant * a[k * n + k];
    for (std::int64_t i = 0; i < n; ++i) {
      if (i == k) continue;
      const S factor = a[i * n + k] / a[k * n + k];
      for (std::int64_t j = 0; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
      for (std::int64_t c = 0; c < columns; ++c) x[i * columns + c] -= factor * x[k * columns + c];
    }
  }
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t c = 0; c < columns; ++c) x[i * columns + c] = x[i * columns + c] / a[i * n + i];
  return determinant;
}

/// exp(A) by the Taylor series of A / 1024, squared ten times.
template <class S>
std::vector<S> taylor_exponential(const S* a, std::int64_t n) {
  const auto times = [n](const std::vector<S>& p, const std::vector<S>& q) {
    std::vector<S> product(static_cast<std::size_t>(n * n), S(0.0));
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t k = 0; k < n; ++k)
        for (std::int64_t j = 0; j < n; ++j) product[i * n + j] += p[i * n + k] * q[k * n + j];
    return product;
  };
  std::vector<S> small(a, a + n * n);
  for (S& element : small) element = element / S(1024.0);
  std::vector<S> term(static_cast<std::size_t>(n * n), S(0.0));
  for (std::int64_t i = 0; i < n; ++i) term[i * n + i] = S(1.0);
  auto sum = term;
  for (int k = 1; k < 14; ++k) {
    term = times(term, small);
    for (std::size_t i = 0; i < term.size(); ++i) {
      term[i] = term[i] / S(static_cast<double>(k));
      sum[i] += term[i];
    }
  }
  for (int k = 0; k < 10; ++k) sum = times(sum, sum);
  return sum;
}

/// Eigenvalues, ascending, and eigenvectors, in columns, of the lower triangle of A by Jacobi rotations.
template <class S>
struct Spectrum {
  std::vector<S> values, vectors;
};

template <class S>
Spectrum<S> jacobi_spectrum(const S* lower, std::int64_t n) {
  using std::sqrt;
  std::vector<S> a(static_cast<std::size_t>(n * n)), v(static_cast<std::size_t>(n * n), S(0.0));
  for (std::int64_t i = 0; i < n; ++i) {
    v[i * n + i] = S(1.0);
    for (std::int64_t j = 0; j < n; ++j) a[i * n + j] = lower[std::max(i, j) * n + std::min(i, j)];
  }
  const auto rotate = [n](std::vector<S>& m, std::int64_t p, std::int64_t q, const S& c, const S& s, bool rows) {
    for (std::int64_t k = 0; k < n; ++k) {
      S& x = rows ? m[p * n + k] : m[k * n + p];
      S& y = rows ? m[q * n + k] : m[k * n + q];
      const S old = x;
      x = c * old - s * y;
      y = s * old + c * y;
    }
  };
  // A fixed number of sweeps: derivatives settle a little after the values.
  for (int sweep = 0; sweep < 12; ++sweep) {
    for (std::int64_t p = 0; p < n; ++p) {
      for (std::int64_t q = p + 1; q < n; ++q) {
        const S twice = S(2.0) * a[p * n + q];
        const S gap = a[q * n + q] - a[p * n + p];
        const S root = sqrt(gap * gap + twice * twice);
        const S t = primal(gap) >= 0 ? twice / (gap + root) : twice / (gap - root);
        const S c = S(1.0) / sqrt(S(1.0) + t * t);
        const S s = t * c;
        rotate(a, p, q, c, s, false);
        rotate(a, p, q, c, s, true);
        rotate(v, p, q, c, s, false);
      }
    }
  }
  std::vector<std::int64_t> order(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) order[static_cast<std::size_t>(i)] = i;
  std::sort(order.begin(), order.end(), [&](auto i, auto j) { return primal(a[i * n + i]) < primal(a[j * n + j]); });
  Spectrum<S> result;
  result.vectors = v;
  for (std::int64_t k = 0; k < n; ++k) {
    const auto from = order[static_cast<std::size_t>(k)];
    result.values.push_back(a[from * n + from]);
    for (std::int64_t i = 0; i < n; ++i) result.vectors[i * n + k] = v[i * n + from];
  }
  return result;
}

}  // namespace sgmcmc::reference
