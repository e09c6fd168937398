// Vectorised exponentials, logarithms and the stable combinations of them that densities need, for packs of double or
// float: branch-free, within 3 units in the last place, correct at infinities, zeros, NaN and (double and float)
// denormals.
//
// exp is reduced to |r| <= log(2) / 2 and a polynomial; log and log1p to 1 + f in [sqrt(1/2), sqrt(2)) and the series
// of 2 atanh(f / (2 + f)). The polynomials interpolate at Chebyshev nodes, with errors below 2e-17 (double) and 1e-8
// (float).
#pragma once

#include "base/pack.hpp"

namespace sgmcmc {

namespace detail {

/// c[first] + c[first + step] x + c[first + 2 step] x^2 + ...
template <std::size_t first, std::size_t step, class Real, std::size_t count>
SGMCMC_INLINE Pack<Real> horner(const Pack<Real>& x, const Real (&c)[count]) {
  if constexpr (first + step >= count) {
    return Pack<Real>(c[first]);
  } else {
    return fma(horner<first + step, step>(x, c), x, Pack<Real>(c[first]));
  }
}

/// c[0] + c[1] x + ..., with even and odd powers separate, which halves the dependency chain.
template <class Real, std::size_t count>
SGMCMC_INLINE Pack<Real> polynomial(const Pack<Real>& x, const Real (&c)[count]) {
  if constexpr (count < 5) {
    return horner<0, 1>(x, c);
  } else {
    const Pack<Real> square = x * x;
    return fma(horner<1, 2>(square, c), x, horner<0, 2>(square, c));
  }
}

template <class Real>
struct ElementaryConstants;

template <>
struct ElementaryConstants<double> {
  static constexpr int mantissa_bits = 52;
  static constexpr std::int64_t exponent_bias = 1023;
  static constexpr std::int64_t sqrt_half_bits = 0x3fe6a09e667f3bcd;
  static constexpr double rounder = 0x1.8p52;  // adding it leaves the nearest integer in the low bits
  static constexpr double smallest_normal = 0x1p-1022;
  static constexpr double negligible = 0x1p-54;  // 1 + x rounds to 1
  static constexpr double lowest_exp = -746.0, highest_exp = 710.0, lowest_expm1 = -40.0;
  static constexpr double log2_e = 1.4426950408889634074;
  static constexpr double ln2_high = 0.6931471803691238164901733, ln2_low = 1.908214929270587700022e-10;
  // (exp(r) - 1 - r) / r^2 on |r| <= log(2) / 2
  static constexpr double exp[] = {0.5,
                                   0.16666666666666668517,
                                   0.041666666666623823623,
                                   8.3333333333300389778e-3,
                                   1.3888888917367081446e-3,
                                   1.9841269863171557262e-4,
                                   2.4801521057868203783e-5,
                                   2.7557268276905696016e-6,
                                   2.76202015910315469e-7,
                                   2.5100472505694996079e-8};
  // (2 atanh(s) / s - 2) / z with z = s^2 <= (3 - 2 sqrt(2))^2
  static constexpr double log[] = {0.66666666666666696273, 0.39999999999898888658, 0.28571428626253836391,
                                   0.22222211089379495519, 0.18182892432536870708, 0.15331611722055007996,
                                   0.14617807153417325394};
};

template <>
struct ElementaryConstants<float> {
  static constexpr int mantissa_bits = 23;
  static constexpr std::int32_t exponent_bias = 127;
  static constexpr std::int32_t sqrt_half_bits = 0x3f3504f3;
  static constexpr float rounder = 0x1.8p23F;
  static constexpr float smallest_normal = 0x1p-126F;
  static constexpr float negligible = 0x1p-25F;
  static constexpr float lowest_exp = -104.0F, highest_exp = 89.0F, lowest_expm1 = -20.0F;
  static constexpr float log2_e = 1.4426950408889634074F;
  static constexpr float ln2_high = 0.693115234375F, ln2_low = 3.1946184945e-5F;
  static constexpr float exp[] = {0.5F, 0.16666576666F, 0.041666554213F, 8.3632328837e-3F, 1.3926250831e-3F};
  static constexpr float log[] = {0.66666685095F, 0.39988757717F, 0.2958098593F};
};

template <class Real>
inline constexpr Real infinity = std::numeric_limits<Real>::infinity();
template <class Real>
inline constexpr Real not_a_number = std::numeric_limits<Real>::quiet_NaN();

/// 2^n for whole n within the normal exponents.
template <class Real>
SGMCMC_INLINE Pack<Real> power_of_two(const Pack<Real>& n) {
  using C = ElementaryConstants<Real>;
  using Integer = typename IntegerPack<Real>::Scalar;
  const Pack<Real> shifted = n + Pack<Real>(C::rounder + static_cast<Real>(C::exponent_bias));
  return bits_as<Real>(bits_as<Integer>(shifted) << C::mantissa_bits);
}

/// a * 2^n for whole n, rounded once when the result is denormal; |n| up to twice the normal exponents.
template <class Real>
SGMCMC_INLINE Pack<Real> scale(const Pack<Real>& a, const Pack<Real>& n) {
#if defined(__AVX512F__) && defined(__AVX512DQ__)
  return Pack<Real>::each([&](int p) SGMCMC_INLINE_LAMBDA {
    using Part = typename Pack<Real>::Part;
    if constexpr (sizeof(Real) == 8) {
      return (Part)_mm512_maskz_scalef_pd(0xff, a.part[p], n.part[p]);
    } else {
      return (Part)_mm512_maskz_scalef_ps(0xffff, a.part[p], n.part[p]);
    }
  });
#else
  const Pack<Real> rounder = ElementaryConstants<Real>::rounder;
  const Pack<Real> half = fma(n, Pack<Real>(Real(0.5)), rounder) - rounder;
  return (a * power_of_two(half)) * power_of_two(n - half);
#endif
}

/// x = n log(2) + r and exp(r) - 1.
template <class Real>
struct ReducedExponential {
  Pack<Real> n, expm1_r;
};

template <class Real>
SGMCMC_INLINE ReducedExponential<Real> reduce_exponential(const Pack<Real>& x) {
  using C = ElementaryConstants<Real>;
  const Pack<Real> rounder = C::rounder;
  const Pack<Real> n = fma(x, Pack<Real>(C::log2_e), rounder) - rounder;
  const Pack<Real> r = fma(n, Pack<Real>(-C::ln2_low), fma(n, Pack<Real>(-C::ln2_high), x));
  return {n, fma(r * r, polynomial(r, C::exp), r)};
}

/// e log(2) + log(1 + f) for 1 + f in [sqrt(1/2), sqrt(2)).
template <class Real>
SGMCMC_INLINE Pack<Real> log_of_parts(const Pack<Real>& e, const Pack<Real>& f) {
  using C = ElementaryConstants<Real>;
  const Pack<Real> s = f / (f + Real(2));
  const Pack<Real> z = s * s;
  const Pack<Real> half_square = f * f * Real(0.5);
  const Pack<Real> tail = fma(s, fma(z, polynomial(z, C::log), half_square), e * C::ln2_low);
  return fma(e, Pack<Real>(C::ln2_high), f - (half_square - tail));
}

/// The exponent e for which x 2^-e lies in [sqrt(1/2), sqrt(2)), as bits (biased); x positive and normal.
template <class Real>
SGMCMC_INLINE UnsignedPack<Real> biased_exponent(const Pack<Real>& x) {
  using C = ElementaryConstants<Real>;
  using Unsigned = typename UnsignedPack<Real>::Scalar;
  constexpr Unsigned offset = (Unsigned{C::exponent_bias} << C::mantissa_bits) - Unsigned{C::sqrt_half_bits};
  return (bits_as<Unsigned>(x) + offset) >> C::mantissa_bits;
}

/// A biased exponent as a plain number.
template <class Real>
SGMCMC_INLINE Pack<Real> exponent_as_real(const UnsignedPack<Real>& biased) {
  using C = ElementaryConstants<Real>;
  using Unsigned = typename UnsignedPack<Real>::Scalar;
  // 2^mantissa_bits + k has k in its lowest bits, and needs no conversion instruction, which SSE2 and AVX2 lack.
  constexpr Real two_power = static_cast<Real>(std::uint64_t{1} << C::mantissa_bits);
  const auto joined = biased | bits_as<Unsigned>(Pack<Real>(two_power));
  return bits_as<Real>(joined) - Pack<Real>(two_power + static_cast<Real>(C::exponent_bias));
}

/// log(x) for normal positive finite x only.
template <class Real>
SGMCMC_INLINE Pack<Real> log_of_normal(const Pack<Real>& x) {
  using C = ElementaryConstants<Real>;
  using Unsigned = typename UnsignedPack<Real>::Scalar;
  const auto biased = biased_exponent(x);
  const auto shift = (biased - Unsigned{C::exponent_bias}) << C::mantissa_bits;
  const Pack<Real> m = bits_as<Real>(bits_as<Unsigned>(x) - shift);
  return log_of_parts<Real>(exponent_as_real<Real>(biased), m - Real(1));
}

}  // namespace detail

template <class Real>
SGMCMC_INLINE Pack<Real> exp(const Pack<Real>& x) {
  using C = detail::ElementaryConstants<Real>;
  // Clamps so that NaN propagates: min and max return their second argument for NaN.
  const Pack<Real> clamped = min(Pack<Real>(C::highest_exp), max(Pack<Real>(C::lowest_exp), x));
  const auto [n, expm1_r] = detail::reduce_exponential(clamped);
  return detail::scale(expm1_r + Real(1), n);
}

template <class Real>
SGMCMC_INLINE Pack<Real> expm1(const Pack<Real>& x) {
  using C = detail::ElementaryConstants<Real>;
  const Pack<Real> clamped = min(Pack<Real>(C::highest_exp), max(Pack<Real>(C::lowest_expm1), x));
  const auto [n, expm1_r] = detail::reduce_exponential(clamped);
  // 2^n (expm1(r) + 1) - 1, halved so that 2^n does not overflow before the result does.
  const Pack<Real> half_power = detail::power_of_two(n - Real(1));
  const Pack<Real> result = fma(half_power, expm1_r, half_power - Real(0.5)) * Real(2);
  return select(abs(x) < Pack<Real>(C::negligible), x, result);
}

template <class Real>
SGMCMC_INLINE Pack<Real> log(const Pack<Real>& x) {
  using C = detail::ElementaryConstants<Real>;
  using Unsigned = typename UnsignedPack<Real>::Scalar;
  constexpr int lift = C::mantissa_bits + 2;
  const auto is_denormal = x < Pack<Real>(C::smallest_normal);
  const Pack<Real> lifted = select(is_denormal, x * static_cast<Real>(std::uint64_t{1} << lift), x);
  const auto biased = detail::biased_exponent(lifted);
  const auto shift = (biased - Unsigned{C::exponent_bias}) << C::mantissa_bits;
  const Pack<Real> m = bits_as<Real>(bits_as<Unsigned>(lifted) - shift);
  const Pack<Real> e = detail::exponent_as_real<Real>(biased) - (Pack<Real>(static_cast<Real>(lift)) & is_denormal);
  const Pack<Real> result = detail::log_of_parts<Real>(e, m - Real(1));
  // Infinity and NaN are their own logarithms.
  const Pack<Real> below = select(x < Pack<Real>(Real(0)), Pack<Real>(detail::not_a_number<Real>), x);
  const Pack<Real> special = select(x == Pack<Real>(Real(0)), Pack<Real>(-detail::infinity<Real>), below);
  const auto is_plain = (x > Pack<Real>(Real(0))) & (x < Pack<Real>(detail::infinity<Real>));
  return select(is_plain, result, special);
}

namespace detail {

/// log(1 + x) for finite x > -1.
template <class Real>
SGMCMC_INLINE Pack<Real> log1p_of_plain(const Pack<Real>& x) {
  using C = ElementaryConstants<Real>;
  using Unsigned = typename UnsignedPack<Real>::Scalar;
  const auto biased = biased_exponent(x + Real(1));
  // With q = 2^(2 - e): f = (1 + x) 2^-e - 1 = (x / 4) q + (q / 4 - 1). Scaling by powers of two is exact, so f is
  // rounded once and the rounding of 1 + x costs nothing.
  constexpr Unsigned twice_bias_and_two = 2 * Unsigned{C::exponent_bias} + 2;
  const Pack<Real> q = bits_as<Real>((UnsignedPack<Real>(twice_bias_and_two) - biased) << C::mantissa_bits);
  const Pack<Real> f = fma(x * Real(0.25), q, q * Real(0.25) - Real(1));
  const Pack<Real> result = log_of_parts<Real>(exponent_as_real<Real>(biased), f);
  return select(abs(x) < Pack<Real>(C::negligible), x, result);
}

}  // namespace detail

template <class Real>
SGMCMC_INLINE Pack<Real> log1p(const Pack<Real>& x) {
  const Pack<Real> minus_one = Real(-1);
  const Pack<Real> below = select(x < minus_one, Pack<Real>(detail::not_a_number<Real>), x);
  const Pack<Real> special = select(x == minus_one, Pack<Real>(-detail::infinity<Real>), below);
  const auto is_plain = (x > minus_one) & (x < Pack<Real>(detail::infinity<Real>));
  return select(is_plain, detail::log1p_of_plain(x), special);
}

/// 1 / (1 + exp(-x)), through exp(-|x|) so that nothing overflows and both tails keep their digits.
template <class Real>
SGMCMC_INLINE Pack<Real> logistic(const Pack<Real>& x) {
  const Pack<Real> t = exp(-abs(x));
  return select(x >= Pack<Real>(Real(0)), Pack<Real>(Real(1)), t) / (t + Real(1));
}

/// log(1 + exp(x)).
template <class Real>
SGMCMC_INLINE Pack<Real> log1p_exp(const Pack<Real>& x) {
  return max(Pack<Real>(Real(0)), x) + detail::log1p_of_plain(exp(-abs(x)));
}

/// log(logistic(x)).
template <class Real>
SGMCMC_INLINE Pack<Real> log_logistic(const Pack<Real>& x) {
  return -log1p_exp(-x);
}

/// logistic(x) and log1p_exp(x) with one exponential: derivative and value of a logit likelihood.
template <class Real>
struct LogisticPair {
  Pack<Real> logistic, log1p_exp;
};
template <class Real>
SGMCMC_INLINE LogisticPair<Real> logistic_and_log1p_exp(const Pack<Real>& x) {
  const Pack<Real> t = exp(-abs(x));
  return {select(x >= Pack<Real>(Real(0)), Pack<Real>(Real(1)), t) / (t + Real(1)),
          max(Pack<Real>(Real(0)), x) + detail::log1p_of_plain(t)};
}

/// log(1 - exp(x)) for x <= 0.
template <class Real>
SGMCMC_INLINE Pack<Real> log1m_exp(const Pack<Real>& x) {
  const auto near_zero = x > Pack<Real>(Real(-0.6931471805599453));
  return select(near_zero, log(-expm1(x)), log1p(-exp(x)));
}

template <class Real>
SGMCMC_INLINE Pack<Real> tanh(const Pack<Real>& x) {
  const Pack<Real> t = expm1(abs(x) * Real(-2));
  return copy_sign(t / (t + Real(2)), x);
}

/// Applies a function of packs of doubles to a pack of floats: for functions where float speed does not matter.
template <class Function>
SGMCMC_INLINE Pack<float> in_double(const Pack<float>& a, Function function) {
  alignas(pack_bytes) float narrow[16];
  alignas(pack_bytes) double wide[16];
  store_aligned(narrow, a);
  store_aligned(wide, function(load_as<double>(narrow)));
  store_aligned(wide + 8, function(load_as<double>(narrow + 8)));
  return load_as<float>(wide);
}

/// Defines name for packs of floats from its form for packs of doubles.
#define SGMCMC_FLOAT_IN_DOUBLE(name)                                                               \
  SGMCMC_INLINE Pack<float> name(const Pack<float>& x) {                                           \
    return in_double(x, [](const Pack<double>& wide) SGMCMC_INLINE_LAMBDA { return name(wide); }); \
  }

/// x^y by std::pow, lane by lane.
template <class Real>
SGMCMC_INLINE Pack<Real> pow(const Pack<Real>& x, const Pack<Real>& y) {
  alignas(pack_bytes) Real base[Pack<Real>::lanes];
  alignas(pack_bytes) Real exponent[Pack<Real>::lanes];
  store_aligned(base, x);
  store_aligned(exponent, y);
  for (int i = 0; i < Pack<Real>::lanes; ++i) base[i] = std::pow(base[i], exponent[i]);
  return load_aligned(base);
}

/// Applies a function of packs to one number.
template <class Real, class Function>
SGMCMC_INLINE Real in_one_lane(Real value, Function function) {
  return function(Pack<Real>(value))[0];
}

}  // namespace sgmcmc
