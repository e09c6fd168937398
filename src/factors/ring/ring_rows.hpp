// Rows of factors as the samplers on the ring move them: whole packs of single-precision numbers.
#pragma once

#include "base/pack.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace sgmcmc::ring {

using Row = Pack<float>;

inline constexpr std::size_t row_width = 16;
inline constexpr std::uint64_t first_iterations = 20;  // of short steps
inline constexpr float largest_number = 1e8F;

/// to += factor * from, of `stride` numbers.
SGMCMC_INLINE void add_scaled(float factor, const float* from, float* to, std::size_t stride) {
  const Row f(factor);
  for (std::size_t k = 0; k < stride; k += row_width) store(to + k, fma(f, load(from + k), load(to + k)));
}

/// Steps are short at first, while the curvature that is known is not that of the posterior.
inline double ramp(std::uint64_t iteration) {
  return std::min(1.0, static_cast<double>(iteration + 1) / static_cast<double>(first_iterations));
}

SGMCMC_INLINE float product(const float* a, const float* b, std::size_t stride) {
  Row sum = load(a) * load(b);
  for (std::size_t k = row_width; k < stride; k += row_width) sum = fma(load(a + k), load(b + k), sum);
  return horizontal_sum(sum);
}

}  // namespace sgmcmc::ring
