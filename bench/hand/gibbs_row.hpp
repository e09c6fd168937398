// A sweep of the Gibbs sampler for factors as one would write it by hand: plain loops, and one Cholesky decomposition
// per row.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sgmcmc::bench::hand {

/// Draws rows of `size` numbers, given those of the other side; prior N(0, 1), ratings of precision tau.
inline void gibbs_rows(const std::vector<std::uint64_t>& start, const std::vector<std::uint32_t>& other_row,
                       const std::vector<float>& value, const std::vector<double>& other, std::vector<double>& rows,
                       std::size_t size, double tau, const std::vector<double>& normals) {
  std::vector<double> a(size * size), b(size);
  for (std::size_t r = 0; r + 1 < start.size(); ++r) {
    for (std::size_t i = 0; i < size; ++i) {
      b[i] = 0;
      for (std::size_t j = 0; j <= i; ++j) a[i * size + j] = i == j ? 1.0 : 0.0;
    }
    for (std::uint64_t at = start[r]; at < start[r + 1]; ++at) {
      const double* const v = other.data() + other_row[at] * size;
      const double y = tau * static_cast<double>(value[at]);
      for (std::size_t i = 0; i < size; ++i) {
        const double scaled = tau * v[i];
        b[i] += y * v[i];
        for (std::size_t j = 0; j <= i; ++j) a[i * size + j] += scaled * v[j];
      }
    }
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        double sum = a[i * size + j];
        for (std::size_t k = 0; k < j; ++k) sum -= a[i * size + k] * a[j * size + k];
        a[i * size + j] = i == j ? std::sqrt(sum) : sum / a[j * size + j];
      }
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t k = 0; k < i; ++k) b[i] -= a[i * size + k] * b[k];
      b[i] /= a[i * size + i];
    }
    for (std::size_t i = 0; i < size; ++i) b[i] += normals[(r * size + i) % normals.size()];
    for (std::size_t i = size; i-- > 0;) {
      for (std::size_t k = i + 1; k < size; ++k) b[i] -= a[k * size + i] * b[k];
      b[i] /= a[i * size + i];
      rows[r * size + i] = b[i];
    }
  }
}

}  // namespace sgmcmc::bench::hand
