// Vectorised error functions and the normal distribution function, with relative accuracy far into the tails.
//
// Everything follows from erfcx(z) = exp(z^2) erfc(z) for z >= 0, a polynomial in t = (z - 3.75) / (z + 3.75) over 1 +
// 2 z (error 1.2e-16), and from squares in two parts, because an absolute error in z^2 is a relative error of that size
// in exp(-z^2).
#pragma once

#include "base/elementary.hpp"

namespace sgmcmc {

namespace detail {

inline constexpr double erfcx_polynomial[] = {
    1.2375126308378274764,     -0.14024059858554696611,   3.5854154854637748651e-3,  0.082276738490145162608,
    -0.10880393014171785282,   0.092304321160378760558,   -0.058693398590212365884,  0.028362277418940665119,
    -9.7465795525042437514e-3, 1.7556258530017257013e-3,  2.9371363428500811381e-4,  -2.9015408097952710741e-4,
    5.1649211390702854502e-5,  2.238424031422443688e-5,   -1.1444412439171722357e-5, -9.7356190151826627167e-7,
    1.7520579701663180177e-6,  -5.7215972559909873184e-8, -2.5910696877966577833e-7, 2.3261913276696565814e-8,
    3.896545254898596558e-8,   -3.7435680336345830571e-9, -5.284286979631420259e-9,  3.1103107198391651599e-10,
    4.43495907000962802e-10};
// erf(x) / x in powers of x^2, |x| <= 1
inline constexpr double erf_polynomial[] = {
    1.1283791670955125586,    -0.37612638903183748251,   0.11283791670954879116,   -0.026866170645076792312,
    5.2239776248180144758e-3, -8.5483269808337900269e-4, 1.2055331111642710452e-4, -1.4925595266831181849e-5,
    1.646100048412136763e-6,  -1.6350312701054695233e-7, 1.465977527404743634e-8,  -1.1372848856791673661e-9,
    5.9571761477489113133e-11};

SGMCMC_INLINE Pack<double> erfcx_of_nonnegative(const Pack<double>& z) {
  const Pack<double> finite = min(Pack<double>(1e300), z);
  const Pack<double> t = (finite - 3.75) / (finite + 3.75);
  return polynomial(t, erfcx_polynomial) / fma(finite, Pack<double>(2.0), Pack<double>(1.0));
}

/// exp(-factor z^2) for z >= 0 and factor 1 or 1/2.
SGMCMC_INLINE Pack<double> exp_minus_square(const Pack<double>& z, double factor) {
  const Pack<double> bounded = min(Pack<double>(40.0), z);  // the result is 0 from there on
  // The high part has 26 bits, so its square is exact; the rest is at most 3e-5 and needs four terms of exp.
  const Pack<double> high = bounded & IntegerPack<double>(~std::int64_t{0x7ffffff});
  const Pack<double> rest = (bounded - high) * (bounded + high) * -factor;
  const Pack<double> correction =
      rest * fma(rest, fma(rest, Pack<double>(1.0 / 6.0), Pack<double>(0.5)), Pack<double>(1.0));
  const Pack<double> main = exp(high * high * -factor);
  return fma(main, correction, main);
}

inline constexpr double sqrt_half = 0.70710678118654752440;

}  // namespace detail

SGMCMC_INLINE Pack<double> erfc(const Pack<double>& x) {
  const Pack<double> z = abs(x);
  const Pack<double> upper = detail::exp_minus_square(z, 1.0) * detail::erfcx_of_nonnegative(z);
  return select(x < Pack<double>(0.0), Pack<double>(2.0) - upper, upper);
}

SGMCMC_INLINE Pack<double> erf(const Pack<double>& x) {
  const Pack<double> z = abs(x);
  const Pack<double> upper = detail::exp_minus_square(z, 1.0) * detail::erfcx_of_nonnegative(z);
  const Pack<double> far = copy_sign(Pack<double>(1.0) - upper, x);
  return select(z < Pack<double>(1.0), x * detail::polynomial(x * x, detail::erf_polynomial), far);
}

/// The standard normal distribution function.
SGMCMC_INLINE Pack<double> phi(const Pack<double>& x) {
  const Pack<double> z = abs(x);
  const Pack<double> lower =
      detail::exp_minus_square(z, 0.5) * detail::erfcx_of_nonnegative(z * detail::sqrt_half) * 0.5;
  const Pack<double> tails = select(x > Pack<double>(0.0), Pack<double>(1.0) - lower, lower);
  // Around 0 from erf, which is exact there.
  const Pack<double> slope = detail::polynomial(x * x * 0.5, detail::erf_polynomial) * (0.5 * detail::sqrt_half);
  return select(z < Pack<double>(1.0), fma(x, slope, Pack<double>(0.5)), tails);
}

/// log(phi(x)), which tends to -x^2 / 2 where phi(x) underflows.
SGMCMC_INLINE Pack<double> log_phi(const Pack<double>& x) {
  const Pack<double> z = abs(x);
  const Pack<double> half_erfcx = detail::erfcx_of_nonnegative(z * detail::sqrt_half) * 0.5;
  const Pack<double> lower = fma(x * -0.5, x, log(half_erfcx));
  const Pack<double> upper = log1p(-(detail::exp_minus_square(z, 0.5) * half_erfcx));
  return select(x < Pack<double>(0.0), lower, upper);
}

SGMCMC_FLOAT_IN_DOUBLE(erf)
SGMCMC_FLOAT_IN_DOUBLE(erfc)
SGMCMC_FLOAT_IN_DOUBLE(phi)
SGMCMC_FLOAT_IN_DOUBLE(log_phi)

}  // namespace sgmcmc
