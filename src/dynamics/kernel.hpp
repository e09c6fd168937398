// Parts of tight update loops: noise in cache-sized blocks, and vectorised tests for finite values.
#pragma once

#include "base/thread_pool.hpp"
#include "base/vector_loops.hpp"

#include <sgmcmc/random.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

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

inline constexpr std::size_t noise_block = 512;
/// Below this many parameters the threads of a pool would cost more than they save.
inline constexpr std::size_t least_shared_dimension = 16384;

/// Calls update(begin, count, noise), noise pointing at doubles or floats, for blocks of [0, dimension) with fresh
/// standard normals: the noise stays in the first-level cache for any number of parameters. update returns bits, whose
/// union is returned. Blocks come in order on the calling thread or, if there are a pool and many parameters,
/// concurrently on its threads: an update may write only elements of its block. It should capture by value; what it
/// captures is copied for each stretch of blocks, so that its loops have pointers in registers. single_precision:
/// normals from 32 random bits, in a third of the time.
template <class Update>
std::uint64_t for_noise_blocks(ThreadPool* pool, const StreamKey& key, std::uint64_t offset, std::size_t dimension,
                               bool single_precision, const Update& update) {
  auto draw = [&](auto real, std::size_t from, std::size_t to) {
    using Real = decltype(real);
    alignas(64) Real noise[noise_block];
    auto update_block = update;
    std::uint64_t bits = 0;
    for (std::size_t begin = from; begin < to; begin += noise_block) {
      const std::size_t count = std::min(noise_block, to - begin);
      fill_normal(key, std::span<Real>(noise, count), offset + begin);
      bits |= update_block(begin, count, static_cast<const Real*>(noise));
    }
    return bits;
  };
  auto stretch = [&](std::size_t from, std::size_t to) {
    return single_precision ? draw(0.0F, from, to) : draw(0.0, from, to);
  };
  if (!pool || pool->threads() == 1 || dimension < least_shared_dimension) return stretch(0, dimension);
  constexpr std::size_t length = 8 * noise_block;
  std::atomic<std::uint64_t> bits{0};
  pool->for_each((dimension + length - 1) / length, [&](std::size_t number, int) {
    const std::uint64_t here = stretch(number * length, std::min(dimension, (number + 1) * length));
    if (here) bits.fetch_or(here, std::memory_order_relaxed);
  });
  return bits.load(std::memory_order_relaxed);
}

}  // namespace sgmcmc
