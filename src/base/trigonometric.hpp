// Vectorised sine, cosine and tangent; the rarer circular and hyperbolic functions go lane by lane to the C library.
#pragma once

#include "base/elementary.hpp"

namespace sgmcmc {

template <class Real>
struct SinCos {
  Pack<Real> sin, cos;
};

namespace detail {

template <class Real>
struct CircularConstants;
template <>
struct CircularConstants<double> {
  // (sin(y) / y - 1) / y^2 and (cos(y) - 1 + y^2 / 2) / y^4 in powers of y^2, |y| <= pi / 4
  static constexpr double sin[] = {-0.16666666666666665741,  8.3333333333309358298e-3,  -1.9841269836740532467e-4,
                                   2.7557316093198404155e-6, -2.5051129896450184679e-8, 1.5917988979397434555e-10};
  static constexpr double cos[] = {0.041666666666666664354,   -1.3888888888887388883e-3, 2.4801587298754399874e-5,
                                   -2.7557317265878081831e-7, 2.0876145049413178425e-9,  -1.1382544645349250458e-11};
};
template <>
struct CircularConstants<float> {
  static constexpr float sin[] = {-0.16666664656F, 8.3327471047e-3F, -1.9587639099e-4F};
  static constexpr float cos[] = {0.041666664653F, -1.3888301868e-3F, 2.4547689772e-5F};
};

/// Sine and cosine of y + k pi / 2, where the low bits of quadrant hold k and |y| <= pi / 4.
template <class Real>
SGMCMC_INLINE SinCos<Real> sincos_of_quadrant(const Pack<Real>& y, const IntegerPack<Real>& quadrant) {
  using C = CircularConstants<Real>;
  using Integer = typename IntegerPack<Real>::Scalar;
  constexpr int sign_shift = static_cast<int>(8 * sizeof(Real)) - 2;
  const Pack<Real> z = y * y;
  const Pack<Real> s = fma(y * z, polynomial(z, C::sin), y);
  const Pack<Real> c = fma(z * z, polynomial(z, C::cos), fma(z, Pack<Real>(Real(-0.5)), Pack<Real>(Real(1))));
  const auto is_odd = (quadrant & IntegerPack<Real>(Integer{1})) == IntegerPack<Real>(Integer{1});
  // Sine is negative in quadrants 2 and 3, cosine in 1 and 2.
  const auto sin_sign = (quadrant << sign_shift) & sign_bit<Real>();
  const auto cos_sign = ((quadrant + Integer{1}) << sign_shift) & sign_bit<Real>();
  return {bits_as<Real>(bits_as<Integer>(select(is_odd, c, s)) ^ sin_sign),
          bits_as<Real>(bits_as<Integer>(select(is_odd, s, c)) ^ cos_sign)};
}

SGMCMC_INLINE SinCos<double> sincos_of_moderate(const Pack<double>& x) {
  const Pack<double> rounder = ElementaryConstants<double>::rounder;
  const Pack<double> shifted = fma(x, Pack<double>(0.63661977236758134308), rounder);
  const Pack<double> n = shifted - rounder;
  // pi / 2 in pieces of 33, 33 and 53 bits: products with n below 2^20 are exact.
  Pack<double> y = fma(n, Pack<double>(-1.57079632673412561416626), x);
  y = fma(n, Pack<double>(-6.077100506303965976595549e-11), y);
  y = fma(n, Pack<double>(-2.022266248795950631541e-21), y);
  return sincos_of_quadrant(y, bits_as<std::int64_t>(shifted));
}

/// Beyond this the reduction above loses digits and the C library's takes over.
inline constexpr double largest_moderate_angle = 1e6;

SGMCMC_INLINE bool has_large_angle(const Pack<double>& x) {
  return any(~(abs(x) <= Pack<double>(largest_moderate_angle)));
}

}  // namespace detail

/// Sine and cosine of 2 pi u for |u| <= 1: the angle is reduced exactly.
template <class Real>
SGMCMC_INLINE SinCos<Real> sincos_2pi(const Pack<Real>& u) {
  using Integer = typename IntegerPack<Real>::Scalar;
  const Pack<Real> rounder = detail::ElementaryConstants<Real>::rounder;
  const Pack<Real> quarters = u * Real(4);
  const Pack<Real> shifted = quarters + rounder;
  const Pack<Real> y = (quarters - (shifted - rounder)) * Real(1.57079632679489661923);
  return detail::sincos_of_quadrant(y, bits_as<Integer>(shifted));
}

SGMCMC_INLINE Pack<double> sin(const Pack<double>& x) {
  if (detail::has_large_angle(x)) return lane_by_lane(x, [](double v) { return std::sin(v); });
  return detail::sincos_of_moderate(x).sin;
}
SGMCMC_INLINE Pack<double> cos(const Pack<double>& x) {
  if (detail::has_large_angle(x)) return lane_by_lane(x, [](double v) { return std::cos(v); });
  return detail::sincos_of_moderate(x).cos;
}
SGMCMC_INLINE Pack<double> tan(const Pack<double>& x) {
  if (detail::has_large_angle(x)) return lane_by_lane(x, [](double v) { return std::tan(v); });
  const auto pair = detail::sincos_of_moderate(x);
  return pair.sin / pair.cos;
}

SGMCMC_FLOAT_IN_DOUBLE(sin)
SGMCMC_FLOAT_IN_DOUBLE(cos)
SGMCMC_FLOAT_IN_DOUBLE(tan)

#define SGMCMC_LANE_BY_LANE(name)                                        \
  template <class Real>                                                  \
  SGMCMC_INLINE Pack<Real> name(const Pack<Real>& x) {                   \
    return lane_by_lane(x, [](Real value) { return std::name(value); }); \
  }
SGMCMC_LANE_BY_LANE(asin)
SGMCMC_LANE_BY_LANE(acos)
SGMCMC_LANE_BY_LANE(atan)
SGMCMC_LANE_BY_LANE(sinh)
SGMCMC_LANE_BY_LANE(cosh)
#undef SGMCMC_LANE_BY_LANE

}  // namespace sgmcmc
