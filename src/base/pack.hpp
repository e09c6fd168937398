// A pack: 64 bytes of numbers processed at once, with the same number of lanes on every machine.
//
// A pack holds as many native vectors as 64 bytes need (one with AVX-512, two with AVX2, four with SSE2 or NEON). It is
// a struct of native vectors rather than one 64-byte vector type because GCC keeps vector types wider than the
// machine's registers in memory and splits their selects lane by lane.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

// Not instrumented by sanitizers: checks at every lane operation would take minutes to compile per file. Memory
// accesses are still checked in the functions they are inlined into.
#define SGMCMC_INLINE inline __attribute__((always_inline, no_sanitize("undefined", "address")))
#define SGMCMC_INLINE_LAMBDA __attribute__((always_inline, no_sanitize("undefined", "address")))
// Lets clang contract a * b + c on packs to a fused multiply-add, as GCC does by default.
#if defined(__clang__)
#define SGMCMC_CONTRACT _Pragma("clang fp contract(fast)")
#else
#define SGMCMC_CONTRACT
#endif

namespace sgmcmc {

inline constexpr std::size_t pack_bytes = 64;

#if defined(__AVX512F__) && defined(__AVX512DQ__)
inline constexpr std::size_t native_vector_bytes = 64;
#elif defined(__AVX2__)
inline constexpr std::size_t native_vector_bytes = 32;
#else
inline constexpr std::size_t native_vector_bytes = 16;
#endif

namespace detail {

template <class Scalar, std::size_t bytes>
struct NativeVector {
  typedef Scalar type __attribute__((vector_size(bytes)));
};
template <class Scalar, std::size_t bytes = native_vector_bytes>
using Native = typename NativeVector<Scalar, bytes>::type;

template <std::size_t bytes, bool is_signed>
struct IntegerOfSize;
template <>
struct IntegerOfSize<8, true> {
  using type = std::int64_t;
};
template <>
struct IntegerOfSize<8, false> {
  using type = std::uint64_t;
};
template <>
struct IntegerOfSize<4, true> {
  using type = std::int32_t;
};
template <>
struct IntegerOfSize<4, false> {
  using type = std::uint32_t;
};

/// Calls part(p) for every native vector of a pack and joins the results, fully unrolled.
template <class Packed, class Part>
SGMCMC_INLINE Packed build(Part part) {
  Packed result;
  result.part[0] = part(0);
  if constexpr (Packed::parts >= 2) result.part[1] = part(1);
  if constexpr (Packed::parts >= 4) {
    result.part[2] = part(2);
    result.part[3] = part(3);
  }
  return result;
}

}  // namespace detail

/// 64 bytes of Scalar: double, float, or an integer of 32 or 64 bits. Comparisons give a mask: a pack of signed
/// integers whose lanes are -1 (true) or 0. A plain number converts to a pack with that number in every lane.
template <class Scalar_>
struct VectorPack {
  using Scalar = Scalar_;
  using Mask = VectorPack<typename detail::IntegerOfSize<sizeof(Scalar), true>::type>;
  using Part = detail::Native<Scalar>;
  static constexpr int lanes = static_cast<int>(pack_bytes / sizeof(Scalar));
  static constexpr int parts = static_cast<int>(pack_bytes / native_vector_bytes);
  static constexpr int part_lanes = lanes / parts;

  Part part[parts];

  VectorPack() = default;  // uninitialised; VectorPack{} is all zeros
  SGMCMC_INLINE VectorPack(Scalar value) {
    *this = each([&](int) SGMCMC_INLINE_LAMBDA { return value - Part{}; });  // x - 0 keeps -0.0
  }

  /// Lane access, for tests and lane-by-lane work: goes through memory.
  SGMCMC_INLINE Scalar operator[](int lane) const { return part[lane / part_lanes][lane % part_lanes]; }
  SGMCMC_INLINE void set(int lane, Scalar value) { part[lane / part_lanes][lane % part_lanes] = value; }

  template <class Function>
  static SGMCMC_INLINE VectorPack each(Function function) {
    return detail::build<VectorPack>(function);
  }

#define SGMCMC_PACK_OPERATOR(op)                                                                             \
  friend SGMCMC_INLINE VectorPack operator op(const VectorPack& a, const VectorPack& b) {                    \
    return each([&](int p) SGMCMC_INLINE_LAMBDA -> Part { SGMCMC_CONTRACT return a.part[p] op b.part[p]; }); \
  }                                                                                                          \
  friend SGMCMC_INLINE VectorPack& operator op##=(VectorPack& a, const VectorPack& b) { return a = a op b; }
  SGMCMC_PACK_OPERATOR(+)
  SGMCMC_PACK_OPERATOR(-)
  SGMCMC_PACK_OPERATOR(*)
  SGMCMC_PACK_OPERATOR(/)
  // Integers only below: not instantiated for floating packs unless used.
  SGMCMC_PACK_OPERATOR(|)
  SGMCMC_PACK_OPERATOR(^)
#undef SGMCMC_PACK_OPERATOR
#define SGMCMC_PACK_COMPARISON(op)                                                                                \
  friend SGMCMC_INLINE Mask operator op(const VectorPack& a, const VectorPack& b) {                               \
    return Mask::each([&](int p) SGMCMC_INLINE_LAMBDA { return (typename Mask::Part)(a.part[p] op b.part[p]); }); \
  }
  SGMCMC_PACK_COMPARISON(<)
  SGMCMC_PACK_COMPARISON(<=)
  SGMCMC_PACK_COMPARISON(>)
  SGMCMC_PACK_COMPARISON(>=)
  SGMCMC_PACK_COMPARISON(==)
  SGMCMC_PACK_COMPARISON(!=)
#undef SGMCMC_PACK_COMPARISON
  friend SGMCMC_INLINE VectorPack operator-(const VectorPack& a) {
    return each([&](int p) SGMCMC_INLINE_LAMBDA -> Part { return -a.part[p]; });
  }
  friend SGMCMC_INLINE VectorPack operator~(const VectorPack& a) {
    return each([&](int p) SGMCMC_INLINE_LAMBDA -> Part { return ~a.part[p]; });
  }
  friend SGMCMC_INLINE VectorPack operator<<(const VectorPack& a, int count) {
    return each([&](int p) SGMCMC_INLINE_LAMBDA -> Part { return a.part[p] << count; });
  }
  friend SGMCMC_INLINE VectorPack operator>>(const VectorPack& a, int count) {
    return each([&](int p) SGMCMC_INLINE_LAMBDA -> Part { return a.part[p] >> count; });
  }
  /// Keeps the lanes where the mask is true and zeroes the others; plain "and" when both are integers.
  friend SGMCMC_INLINE VectorPack operator&(const VectorPack& a, const Mask& mask) {
    return each([&](int p) SGMCMC_INLINE_LAMBDA { return (Part)((typename Mask::Part)a.part[p] & mask.part[p]); });
  }
  friend SGMCMC_INLINE VectorPack& operator&=(VectorPack& a, const Mask& mask) { return a = a & mask; }
};

template <class Real>
using Pack = VectorPack<Real>;
/// Signed integers, as many lanes as Pack<Real>; also what comparisons give.
template <class Real>
using IntegerPack = VectorPack<typename detail::IntegerOfSize<sizeof(Real), true>::type>;
template <class Real>
using UnsignedPack = VectorPack<typename detail::IntegerOfSize<sizeof(Real), false>::type>;
template <class Real>
inline constexpr int pack_width = VectorPack<Real>::lanes;

/// The same bits read as another type.
template <class To, class Scalar>
SGMCMC_INLINE VectorPack<To> bits_as(const VectorPack<Scalar>& a) {
  using Part = typename VectorPack<To>::Part;
  return VectorPack<To>::each([&](int p) SGMCMC_INLINE_LAMBDA { return (Part)a.part[p]; });
}

/// The same values in another type of the same size (integers to and from reals).
template <class To, class Scalar>
SGMCMC_INLINE VectorPack<To> convert(const VectorPack<Scalar>& a) {
  static_assert(sizeof(To) == sizeof(Scalar));
  using Part = typename VectorPack<To>::Part;
  return VectorPack<To>::each([&](int p) SGMCMC_INLINE_LAMBDA { return __builtin_convertvector(a.part[p], Part); });
}

template <class Scalar>
SGMCMC_INLINE VectorPack<Scalar> broadcast(Scalar value) {
  return VectorPack<Scalar>(value);
}

template <class Scalar>
SGMCMC_INLINE VectorPack<Scalar> load(const Scalar* from) {
  using Packed = VectorPack<Scalar>;
  return Packed::each([&](int p) SGMCMC_INLINE_LAMBDA {
    typename Packed::Part part;
    std::memcpy(&part, from + p * Packed::part_lanes, sizeof part);
    return part;
  });
}

/// From an address that is a multiple of 64.
template <class Scalar>
SGMCMC_INLINE VectorPack<Scalar> load_aligned(const Scalar* from) {
  return load(static_cast<const Scalar*>(__builtin_assume_aligned(from, pack_bytes)));
}

template <class Scalar>
SGMCMC_INLINE void store(Scalar* to, const VectorPack<Scalar>& a) {
  // Copies vector by vector: copying the whole struct would force it into memory.
  for (int p = 0; p < a.parts; ++p) std::memcpy(to + p * a.part_lanes, &a.part[p], sizeof a.part[p]);
}

template <class Scalar>
SGMCMC_INLINE void store_aligned(Scalar* to, const VectorPack<Scalar>& a) {
  store(static_cast<Scalar*>(__builtin_assume_aligned(to, pack_bytes)), a);
}

namespace detail {

template <class Scalar, std::size_t bytes>
SGMCMC_INLINE Native<Scalar, bytes> load_native(const Scalar* from) {
  Native<Scalar, bytes> result;
  std::memcpy(&result, from, bytes);
  return result;
}

/// Two half vectors side by side.
template <class Half>
SGMCMC_INLINE auto join(Half low, Half high) {
  if constexpr (sizeof(Half) == 8) {
    return __builtin_shufflevector(low, high, 0, 1, 2, 3);
  } else if constexpr (sizeof(Half) == 16) {
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
  } else {
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  }
}

/// Sums the lanes of one native vector, upper half onto lower half until one is left.
template <class Vector>
SGMCMC_INLINE auto sum_of_lanes(Vector v) {
  constexpr std::size_t count = sizeof v / sizeof v[0];
  if constexpr (count == 2) {
    return v[0] + v[1];
  } else if constexpr (count == 4) {
    return sum_of_lanes(__builtin_shufflevector(v, v, 0, 1) + __builtin_shufflevector(v, v, 2, 3));
  } else if constexpr (count == 8) {
    return sum_of_lanes(__builtin_shufflevector(v, v, 0, 1, 2, 3) + __builtin_shufflevector(v, v, 4, 5, 6, 7));
  } else {
    return sum_of_lanes(__builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7) +
                        __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15));
  }
}

}  // namespace detail

/// A pack of Real from consecutive numbers of another precision (or the same), unaligned.
template <class Real, class Scalar>
SGMCMC_INLINE Pack<Real> load_as(const Scalar* from) {
  using Part = typename Pack<Real>::Part;
  constexpr int part_lanes = Pack<Real>::part_lanes;
  if constexpr (sizeof(Real) == sizeof(Scalar)) {
    return load(from);
  } else if constexpr (sizeof(Real) == 8) {
#if defined(__AVX512F__) && defined(__AVX512DQ__)
    // GCC would split the vector form into two conversions.
    if constexpr (std::is_same_v<Scalar, float>) {
      return Pack<Real>::each([&](int) SGMCMC_INLINE_LAMBDA {
        return (Part)_mm512_maskz_cvtps_pd(0xff, (__m256)detail::load_native<float, 32>(from));
      });
    }
#endif
    return Pack<Real>::each([&](int p) SGMCMC_INLINE_LAMBDA {
      return __builtin_convertvector((detail::load_native<Scalar, native_vector_bytes / 2>(from + p * part_lanes)),
                                     Part);
    });
  } else {
    using Half = detail::Native<Real, native_vector_bytes / 2>;
    return Pack<Real>::each([&](int p) SGMCMC_INLINE_LAMBDA {
      const Scalar* start = from + p * part_lanes;
      const auto low = detail::load_native<Scalar, native_vector_bytes>(start);
      const auto high = detail::load_native<Scalar, native_vector_bytes>(start + part_lanes / 2);
      return (Part)detail::join(__builtin_convertvector(low, Half), __builtin_convertvector(high, Half));
    });
  }
}

/// Writes a pack of Real as numbers of another precision (or the same), unaligned.
template <class Scalar, class Real>
SGMCMC_INLINE void store_as(Scalar* to, const Pack<Real>& a) {
  if constexpr (sizeof(Real) == sizeof(Scalar)) {
    store(to, a);
  } else {
    constexpr int lanes = Pack<Real>::lanes;
    Real values[lanes];
    store(values, a);
    for (int i = 0; i < lanes; ++i) to[i] = static_cast<Scalar>(values[i]);
  }
}

/// Lanes of a where the mask is true, of b elsewhere; the mask's lanes must be -1 or 0.
template <class Scalar>
SGMCMC_INLINE VectorPack<Scalar> select(const typename VectorPack<Scalar>::Mask& mask, const VectorPack<Scalar>& a,
                                        const VectorPack<Scalar>& b) {
  return VectorPack<Scalar>::each([&](int p) SGMCMC_INLINE_LAMBDA { return mask.part[p] ? a.part[p] : b.part[p]; });
}

/// True in the first count lanes; count may be 0 or beyond the width.
template <class Real>
SGMCMC_INLINE IntegerPack<Real> tail_mask(std::ptrdiff_t count) {
  using Integer = typename IntegerPack<Real>::Scalar;
  constexpr int lanes = pack_width<Real>;
  static constexpr struct Lanes {
    alignas(pack_bytes) Integer value[lanes];
    constexpr Lanes() : value() {
      for (int i = 0; i < lanes; ++i) value[i] = i;
    }
  } numbers;
  const std::ptrdiff_t clamped = count < 0 ? 0 : (count > lanes ? lanes : count);
  return load_aligned(numbers.value) < IntegerPack<Real>(static_cast<Integer>(clamped));
}

/// The first count (0 to the width) numbers and zeros behind them, reading nothing beyond.
template <class Scalar>
SGMCMC_INLINE VectorPack<Scalar> load_first(const Scalar* from, std::ptrdiff_t count) {
#if defined(__AVX512F__) && defined(__AVX512DQ__)
  using Part = typename VectorPack<Scalar>::Part;
  const auto mask = (1U << static_cast<unsigned>(count)) - 1U;
  return VectorPack<Scalar>::each([&](int) SGMCMC_INLINE_LAMBDA {
    if constexpr (sizeof(Scalar) == 8)
      return (Part)_mm512_maskz_loadu_epi64(static_cast<__mmask8>(mask), from);
    else
      return (Part)_mm512_maskz_loadu_epi32(static_cast<__mmask16>(mask), from);
  });
#else
  using Part = typename VectorPack<Scalar>::Part;
  constexpr std::ptrdiff_t part_lanes = VectorPack<Scalar>::part_lanes;
  return VectorPack<Scalar>::each([&](int p) SGMCMC_INLINE_LAMBDA {
    const Scalar* at = from + p * part_lanes;
    const std::ptrdiff_t left = count - p * part_lanes;
    if (left >= part_lanes) return detail::load_native<Scalar, native_vector_bytes>(at);
    Part result{};
    for (std::ptrdiff_t lane = 0; lane + 1 < part_lanes; ++lane)  // no memcpy: a call costs more than the copy
      if (lane < left) result[lane] = at[lane];
    return result;
  });
#endif
}

/// Writes the first count (0 to the width) lanes and nothing beyond.
template <class Scalar>
SGMCMC_INLINE void store_first(Scalar* to, const VectorPack<Scalar>& a, std::ptrdiff_t count) {
#if defined(__AVX512F__) && defined(__AVX512DQ__)
  const auto mask = (1U << static_cast<unsigned>(count)) - 1U;
  if constexpr (sizeof(Scalar) == 8) {
    _mm512_mask_storeu_epi64(to, static_cast<__mmask8>(mask), (__m512i)a.part[0]);
  } else {
    _mm512_mask_storeu_epi32(to, static_cast<__mmask16>(mask), (__m512i)a.part[0]);
  }
#else
  std::memcpy(to, &a, static_cast<std::size_t>(count) * sizeof(Scalar));
#endif
}

/// a * b + c, fused if the machine supports it.
template <class Scalar>
SGMCMC_INLINE VectorPack<Scalar> fma(const VectorPack<Scalar>& a, const VectorPack<Scalar>& b,
                                     const VectorPack<Scalar>& c) {
  using Part = typename VectorPack<Scalar>::Part;
  return VectorPack<Scalar>::each(
      [&](int p) SGMCMC_INLINE_LAMBDA -> Part { SGMCMC_CONTRACT return a.part[p] * b.part[p] + c.part[p]; });
}

/// a < b ? a : b, so b where either is NaN.
template <class Scalar>
SGMCMC_INLINE VectorPack<Scalar> min(const VectorPack<Scalar>& a, const VectorPack<Scalar>& b) {
  return select(a < b, a, b);
}

/// a > b ? a : b, so b where either is NaN.
template <class Scalar>
SGMCMC_INLINE VectorPack<Scalar> max(const VectorPack<Scalar>& a, const VectorPack<Scalar>& b) {
  return select(a > b, a, b);
}

template <class Real>
SGMCMC_INLINE IntegerPack<Real> sign_bit() {
  using Integer = typename IntegerPack<Real>::Scalar;
  return IntegerPack<Real>(std::numeric_limits<Integer>::min());
}

template <class Real>
SGMCMC_INLINE Pack<Real> abs(const Pack<Real>& a) {
  return a & ~sign_bit<Real>();
}

/// Magnitude of a with the sign of b.
template <class Real>
SGMCMC_INLINE Pack<Real> copy_sign(const Pack<Real>& a, const Pack<Real>& b) {
  using Integer = typename IntegerPack<Real>::Scalar;
  return bits_as<Real>(bits_as<Integer>(abs(a)) | bits_as<Integer>(b & sign_bit<Real>()));
}

namespace detail {

SGMCMC_INLINE auto sqrt_of_part(Native<double> v) {
#if defined(__AVX512F__) && defined(__AVX512DQ__)
  return (Native<double>)_mm512_mask_sqrt_pd(v, 0xff, v);
#elif defined(__AVX2__)
  return (Native<double>)_mm256_sqrt_pd(v);
#elif defined(__x86_64__)
  return (Native<double>)_mm_sqrt_pd(v);
#elif defined(__aarch64__)
  return (Native<double>)vsqrtq_f64((float64x2_t)v);
#else
  for (int i = 0; i < 2; ++i) v[i] = __builtin_sqrt(v[i]);
  return v;
#endif
}

SGMCMC_INLINE auto sqrt_of_part(Native<float> v) {
#if defined(__AVX512F__) && defined(__AVX512DQ__)
  return (Native<float>)_mm512_mask_sqrt_ps(v, 0xffff, v);
#elif defined(__AVX2__)
  return (Native<float>)_mm256_sqrt_ps(v);
#elif defined(__x86_64__)
  return (Native<float>)_mm_sqrt_ps(v);
#elif defined(__aarch64__)
  return (Native<float>)vsqrtq_f32((float32x4_t)v);
#else
  for (int i = 0; i < 4; ++i) v[i] = __builtin_sqrtf(v[i]);
  return v;
#endif
}

}  // namespace detail

template <class Real>
SGMCMC_INLINE Pack<Real> sqrt(const Pack<Real>& a) {
  return Pack<Real>::each([&](int p) SGMCMC_INLINE_LAMBDA { return detail::sqrt_of_part(a.part[p]); });
}

/// The 64-bit products of the low 32 bits of each lane; ignores the high bits.
SGMCMC_INLINE VectorPack<std::uint64_t> multiply_low_halves(const VectorPack<std::uint64_t>& a,
                                                            const VectorPack<std::uint64_t>& b) {
  using Part = VectorPack<std::uint64_t>::Part;
  return VectorPack<std::uint64_t>::each([&](int p) SGMCMC_INLINE_LAMBDA -> Part {
#if defined(__AVX512F__) && defined(__AVX512DQ__)
    return (Part)_mm512_maskz_mul_epu32(0xff, (__m512i)a.part[p], (__m512i)b.part[p]);
#elif defined(__AVX2__)
    return (Part)_mm256_mul_epu32((__m256i)a.part[p], (__m256i)b.part[p]);
#elif defined(__x86_64__)
    return (Part)_mm_mul_epu32((__m128i)a.part[p], (__m128i)b.part[p]);
#elif defined(__aarch64__)
    return (Part)vmull_u32(vmovn_u64((uint64x2_t)a.part[p]), vmovn_u64((uint64x2_t)b.part[p]));
#else
    return (a.part[p] & 0xffffffffU) * (b.part[p] & 0xffffffffU);
#endif
  });
}

namespace detail {

/// Blocks of `width` lanes of two vectors, their upper halves added to their lower ones: those of a, then those of b.
template <std::size_t width, class Vector, std::size_t... lane>
SGMCMC_INLINE Vector fold_blocks(Vector a, Vector b, std::index_sequence<lane...>) {
  constexpr std::size_t half = width / 2;
  return __builtin_shufflevector(a, b, (lane / half * width + lane % half)...) +
         __builtin_shufflevector(a, b, (lane / half * width + lane % half + half)...);
}

/// Folds `count` vectors of which each holds blocks of that many lanes into one.
template <std::size_t count, class Vector>
SGMCMC_INLINE Vector fold_vectors(const Vector* v) {
  if constexpr (count == 1) {
    return v[0];
  } else {
    constexpr auto lanes = std::make_index_sequence<sizeof(Vector) / sizeof(v[0][0])>{};
    Vector half[count / 2];
    for (std::size_t i = 0; i < count / 2; ++i) half[i] = fold_blocks<count>(v[2 * i], v[2 * i + 1], lanes);
    return fold_vectors<count / 2>(half);
  }
}

}  // namespace detail

/// The native vectors of a pack added to one: the first level of horizontal_sum.
template <class Scalar>
SGMCMC_INLINE typename VectorPack<Scalar>::Part sum_of_parts(const VectorPack<Scalar>& a) {
  if constexpr (VectorPack<Scalar>::parts == 1) {
    return a.part[0];
  } else if constexpr (VectorPack<Scalar>::parts == 2) {
    return a.part[0] + a.part[1];
  } else {
    return (a.part[0] + a.part[2]) + (a.part[1] + a.part[3]);
  }
}

/// The sum of all lanes, always in the same order: upper half onto lower half until one lane is left.
template <class Scalar>
SGMCMC_INLINE Scalar horizontal_sum(const VectorPack<Scalar>& a) {
  return detail::sum_of_lanes(sum_of_parts(a));
}

/// Lane j of the result is horizontal_sum(a[j]), to the last bit, where sums[j] is sum_of_parts(a[j]); of as many packs
/// as a pack has lanes. The levels of additions serve all of them together.
template <class Scalar>
SGMCMC_INLINE VectorPack<Scalar> horizontal_sums(const typename VectorPack<Scalar>::Part* sums) {
  constexpr int native_lanes = VectorPack<Scalar>::part_lanes;
  return VectorPack<Scalar>::each([&](int p) SGMCMC_INLINE_LAMBDA {
    return detail::fold_vectors<static_cast<std::size_t>(native_lanes)>(sums + p * native_lanes);
  });
}

/// The largest lane.
template <class Scalar>
SGMCMC_INLINE Scalar horizontal_max(const VectorPack<Scalar>& a) {
  Scalar result = a[0];
  for (int i = 1; i < VectorPack<Scalar>::lanes; ++i) result = a[i] > result ? a[i] : result;
  return result;
}

/// Whether any lane of a mask is true.
template <class Integer>
SGMCMC_INLINE bool any(const VectorPack<Integer>& mask) {
#if defined(__AVX512F__) && defined(__AVX512DQ__)
  return _mm512_test_epi64_mask((__m512i)mask.part[0], (__m512i)mask.part[0]) != 0;
#else
  auto joined = bits_as<std::int64_t>(mask);
  detail::Native<std::int64_t> together = joined.part[0];
  for (int p = 1; p < joined.parts; ++p) together |= joined.part[p];
  std::int64_t word = 0;
  for (int i = 0; i < joined.part_lanes; ++i) word |= together[i];
  return word != 0;
#endif
}

/// Whether every lane of a mask is true.
template <class Integer>
SGMCMC_INLINE bool all(const VectorPack<Integer>& mask) {
  return !any(~mask);
}

/// Applies a scalar function lane by lane: for functions too rare to vectorise.
template <class Real, class Function>
SGMCMC_INLINE Pack<Real> lane_by_lane(const Pack<Real>& a, Function function) {
  alignas(pack_bytes) Real values[Pack<Real>::lanes];
  store_aligned(values, a);
  for (int i = 0; i < Pack<Real>::lanes; ++i) values[i] = function(values[i]);
  return load_aligned(values);
}

}  // namespace sgmcmc
