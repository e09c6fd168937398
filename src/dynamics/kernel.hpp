// Parts of tight update loops: noise in cache-sized blocks, and vectorised tests for finite values.
#pragma once

#include <sgmcmc/random.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

// Before a loop: asserts that its iterations access different elements, so that it can be vectorised.
#if defined(__clang__)
#define SGMCMC_INDEPENDENT_ITERATIONS _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define SGMCMC_INDEPENDENT_ITERATIONS _Pragma("GCC ivdep")
#else
#define SGMCMC_INDEPENDENT_ITERATIONS
#endif

namespace sgmcmc {

/// 1 for NaN and infinities, else 0. Integer arithmetic, because reductions over integers vectorise.
inline std::uint64_t non_finite_bit(double x) {
  constexpr std::uint64_t exponent = 0x7ff0000000000000ULL;
  return (std::bit_cast<std::uint64_t>(x) & exponent) == exponent ? 1 : 0;
}

/// Position of the first NaN or infinity, or values.size().
inline std::size_t first_non_finite(std::span<const double> values) {
  std::uint64_t bad = 0;
  for (const double x : values) bad |= non_finite_bit(x);
  if (bad == 0) return values.size();
  return static_cast<std::size_t>(
      std::find_if(values.begin(), values.end(), [](double x) { return non_finite_bit(x) != 0; }) - values.begin());
}

/// Offset of the noise of sub-step k in the stream of one iteration: a multiple of 8, because generators work on groups
/// of 8.
inline std::uint64_t noise_offset(std::uint64_t sub_step, std::size_t dimension) {
  return sub_step * ((static_cast<std::uint64_t>(dimension) + 7) / 8 * 8);
}

/// Calls update(begin, count, noise), noise pointing at doubles or floats, for consecutive blocks of [0, dimension)
/// with fresh standard normals: the noise stays in the first-level cache for any number of parameters.
/// single_precision: normals from 32 random bits, in a third of the time.
template <class Update>
void for_noise_blocks(const StreamKey& key, std::uint64_t offset, std::size_t dimension, bool single_precision,
                      Update&& update) {
  constexpr std::size_t block = 512;
  auto draw = [&](auto real) {
    using Real = decltype(real);
    alignas(64) Real noise[block];
    for (std::size_t begin = 0; begin < dimension; begin += block) {
      const std::size_t count = std::min(block, dimension - begin);
      fill_normal(key, std::span<Real>(noise, count), offset + begin);
      update(begin, count, static_cast<const Real*>(noise));
    }
  };
  single_precision ? draw(0.0F) : draw(0.0);
}

}  // namespace sgmcmc
