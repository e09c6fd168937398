// Sums over rows, left by the chunks of a batch as one array each, and how they become one.
#pragma once

#include <algorithm>
#include <cstddef>

namespace sgmcmc {

/// Adds the sums of chunks in order; in double if there are many chunks. Elements are independent, so that whoever
/// needs some of them next may add just these.
template <class Real>
struct ChunkSums {
  const Real* parts = nullptr;  ///< those of chunk c at parts + c * length
  std::size_t chunks = 0;       ///< 0: the sums are complete
  std::size_t length = 0;
  Real* sums = nullptr;

  /// Completes elements [begin, end).
  void add(std::size_t begin, std::size_t end) const {
    if (chunks == 0) return;
    if (chunks <= 4) {
      for (std::size_t i = begin; i < end; ++i) sums[i] = parts[i] + parts[length + i];
      for (std::size_t chunk = 2; chunk < chunks; ++chunk)
        for (std::size_t i = begin; i < end; ++i) sums[i] += parts[chunk * length + i];
      return;
    }
    constexpr std::size_t block = 512;
    double total[block];
    for (std::size_t start = begin; start < end; start += block) {
      const std::size_t count = std::min(block, end - start);
      std::fill_n(total, count, 0.0);
      for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
        const Real* from = parts + chunk * length + start;
        for (std::size_t i = 0; i < count; ++i) total[i] += static_cast<double>(from[i]);
      }
      for (std::size_t i = 0; i < count; ++i) sums[start + i] = static_cast<Real>(total[i]);
    }
  }
};

}  // namespace sgmcmc
