// Copies lines of a matrix side by side: out[k * width + i] is number k of line i.
//
// This is a transposition, done in registers, as many lines at a time as a native vector has lanes: with 16 lanes 64
// shuffles for 256 numbers, a quarter of a cycle each.
#pragma once

#include "base/pack.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace sgmcmc {
namespace detail {

/// Interleaves blocks of `half` lanes: the even blocks of a and b alternately, or with `odd` their odd blocks.
template <std::size_t half, bool odd, class Vector, std::size_t... lane>
SGMCMC_INLINE Vector take_turns(Vector a, Vector b, std::index_sequence<lane...>) {
  constexpr std::size_t lanes = sizeof...(lane);
  return __builtin_shufflevector(a, b,
                                 (lane / half % 2 == 0 ? lane + (odd ? half : 0) : lanes + lane - (odd ? 0 : half))...);
}

/// Transposes the matrix whose rows are `v`, as many as a vector has lanes, by exchanging ever smaller blocks.
template <std::size_t half, class Vector>
SGMCMC_INLINE void transpose(Vector* v) {
  if constexpr (half > 0) {
    constexpr std::size_t lanes = sizeof(Vector) / sizeof(v[0][0]);
#pragma GCC unroll 16
    for (std::size_t i = 0; i < lanes; ++i) {
      if (i & half) continue;
      const Vector a = v[i];
      const Vector b = v[i + half];
      v[i] = take_turns<half, false>(a, b, std::make_index_sequence<lanes>{});
      v[i + half] = take_turns<half, true>(a, b, std::make_index_sequence<lanes>{});
    }
    transpose<half / 2>(v);
  }
}

}  // namespace detail

/// Numbers [0, depth) of `count` lines, line(i) the start of line i; next(i) is the start of a line needed after these,
/// which is prefetched, because lines may be rows anywhere in memory. If `count` is not a multiple of the lanes of a
/// vector, writes up to a pack of numbers beyond the end; if `width` exceeds `count`, the rest of each group of `width`
/// numbers is unspecified.
template <class Real, class Line, class Next>
void pack_lines(Line line, Next next, std::int64_t count, std::int64_t depth, Real* out, std::int64_t width) {
  using Part = typename Pack<Real>::Part;
  constexpr std::int64_t lanes = Pack<Real>::part_lanes;
  if (depth < lanes) {
    for (std::int64_t i = 0; i < count; ++i) {
      const Real* const from = line(i);
      for (std::int64_t k = 0; k < depth; ++k) out[k * width + i] = from[k];
    }
    return;
  }
  // Starts with the last lines: what their vectors write beyond `count` is then overwritten, by the next number of the
  // same lines or by the first lines.
  for (std::int64_t first = (count - 1) / lanes * lanes; first >= 0; first -= lanes) {
    const std::int64_t here = std::min(lanes, count - first);
    const Real* from[lanes];
    const Real* ahead[lanes];
    for (std::int64_t r = 0; r < lanes; ++r) {
      from[r] = line(first + std::min(r, here - 1));
      ahead[r] = next(first + std::min(r, here - 1));
    }
    for (std::int64_t k = 0; k < depth; k += lanes) {
      if (k + lanes > depth) k = depth - lanes;  // overlaps the previous vector, so that no number is copied singly
      Part v[lanes];
#pragma GCC unroll 16
      for (std::int64_t r = 0; r < lanes; ++r) {
        v[r] = detail::load_native<Real, sizeof(Part)>(from[r] + k);
        __builtin_prefetch(ahead[r] + k);
      }
      detail::transpose<static_cast<std::size_t>(lanes) / 2>(v);
      Real* const to = out + first + k * width;
#pragma GCC unroll 16
      for (std::int64_t r = 0; r < lanes; ++r) std::memcpy(to + r * width, &v[r], sizeof(Part));
    }
  }
}

}  // namespace sgmcmc
