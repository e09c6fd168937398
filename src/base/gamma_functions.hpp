// Vectorised log gamma function and its first three derivatives.
//
// For x > 0: recurrence up to at least 8, then the asymptotic series; lgamma uses a polynomial around its zeros at 1
// and 2 for relative accuracy there. Arguments at or below 0 are rare and go lane by lane through reflection.
#pragma once

#include "base/elementary.hpp"
#include "base/trigonometric.hpp"

namespace sgmcmc {

namespace detail {

inline constexpr double asymptotic_from = 8.0;

// Coefficients in powers of 1 / y^2, from the Bernoulli numbers B_2k.
inline constexpr double lgamma_series[] = {
    8.3333333333333333333e-2, -2.7777777777777777778e-3, 7.9365079365079365079e-4, -5.952380952380952381e-4,
    8.4175084175084175084e-4, -1.9175269175269175269e-3, 6.4102564102564102564e-3, -2.955065359477124183e-2};
inline constexpr double digamma_series[] = {
    8.3333333333333333333e-2,  -8.3333333333333333333e-3, 3.968253968253968254e-3,
    -4.1666666666666666667e-3, 7.5757575757575757576e-3,  -2.1092796092796092796e-2,
    8.3333333333333333333e-2,  -0.44325980392156862745,   3.0539543302701197438};
inline constexpr double trigamma_series[] = {
    0.16666666666666666667,    -3.3333333333333333333e-2, 2.3809523809523809524e-2,
    -3.3333333333333333333e-2, 7.5757575757575757576e-2,  -0.25311355311355311355,
    1.1666666666666666667,     -7.0921568627450980392,    54.971177944862155388};
inline constexpr double tetragamma_series[] = {0.5,  -0.16666666666666666667, 0.16666666666666666667,
                                               -0.3, 0.83333333333333333333,  -3.2904761904761904762,
                                               17.5, -120.56666666666666667,  1044.4523809523809524};
// lgamma(2 + t) / t on [-0.5, 1]
inline constexpr double lgamma_near_two[] = {
    0.42278433509846713445,    0.32246703342411314752,   -0.067352301053199378766,  0.020580808427797362553,
    -7.3855510285916053936e-3, 2.8905103301131484031e-3, -1.1927539134689571151e-3, 5.0966953887736636975e-4,
    -2.2315474612108151566e-4, 9.9457346270540026006e-5, -4.4926180575883520362e-5, 2.0508257432949348145e-5,
    -9.4408039010040004926e-6, 4.3718218871775513378e-6, -2.0318170052559262736e-6, 9.557730442952401818e-7,
    -4.6545837491558074761e-7, 2.2770289505865261161e-7, -9.5894290841191693633e-8, 2.7468398510358836908e-8,
    -3.7338224605659090341e-9};

/// y = x + k >= 8 and the sum of 1 / (x + j)^power over j < k, as one fraction to save divisions.
struct ShiftedSum {
  Pack<double> y, sum;
};
template <int power>
SGMCMC_INLINE ShiftedSum shift_up(const Pack<double>& x) {
  Pack<double> y = x, numerator = 0.0, denominator = 1.0;
  for (int step = 0; step < static_cast<int>(asymptotic_from); ++step) {
    const auto is_small = y < Pack<double>(asymptotic_from);
    const Pack<double> term = power == 1 ? y : (power == 2 ? y * y : y * y * y);
    numerator = select(is_small, fma(numerator, term, denominator), numerator);
    denominator = select(is_small, denominator * term, denominator);
    y = y + (Pack<double>(1.0) & is_small);
  }
  return {y, numerator / denominator};
}

SGMCMC_INLINE Pack<double> lgamma_of_positive(const Pack<double>& x) {
  const auto is_small = x < Pack<double>(3.0);
  const auto below_half = x < Pack<double>(0.5);
  const auto below_middle = x < Pack<double>(1.5);
  // Near the zeros: lgamma(2 + t), minus log(1 + t) around 1, minus log(t (1 + t)) below 1/2.
  const Pack<double> t = select(below_half, x, select(below_middle, x - 1.0, x - 2.0));
  const Pack<double> near = t * polynomial(t, lgamma_near_two);
  const Pack<double> divisor = select(below_half, x * (x + 1.0), select(below_middle, x, Pack<double>(1.0)));
  // Elsewhere: Stirling's series at y >= 8, minus the log of the factors of the recurrence.
  Pack<double> y = max(Pack<double>(3.0), x), product = 1.0;
  for (int step = 0; step < static_cast<int>(asymptotic_from) - 3; ++step) {
    const auto below = y < Pack<double>(asymptotic_from);
    product = select(below, product * y, product);
    y = y + (Pack<double>(1.0) & below);
  }
  const Pack<double> inverse = Pack<double>(1.0) / y;
  const Pack<double> series = inverse * polynomial(inverse * inverse, lgamma_series);
  constexpr double half_log_2pi_less_half = 0.91893853320467274178 - 0.5;
  const Pack<double> far = fma(y - 0.5, log(y) - 1.0, series + half_log_2pi_less_half);
  return select(is_small, near, far) - log(select(is_small, divisor, product));
}

SGMCMC_INLINE Pack<double> digamma_of_positive(const Pack<double>& x) {
  const auto [y, sum] = shift_up<1>(x);
  const Pack<double> inverse = Pack<double>(1.0) / y;
  const Pack<double> square = inverse * inverse;
  return log(y) - fma(square, polynomial(square, digamma_series), inverse * 0.5) - sum;
}

SGMCMC_INLINE Pack<double> trigamma_of_positive(const Pack<double>& x) {
  const auto [y, sum] = shift_up<2>(x);
  const Pack<double> inverse = Pack<double>(1.0) / y;
  const Pack<double> square = inverse * inverse;
  return sum + fma(square, fma(inverse, polynomial(square, trigamma_series), Pack<double>(0.5)), inverse);
}

SGMCMC_INLINE Pack<double> tetragamma_of_positive(const Pack<double>& x) {
  const auto [y, sum] = shift_up<3>(x);
  const Pack<double> inverse = Pack<double>(1.0) / y;
  const Pack<double> square = inverse * inverse;
  const Pack<double> series = fma(square, polynomial(square, tetragamma_series), inverse);
  return sum * -2.0 - fma(square, series, square);
}

/// Fills the lanes at or below zero from a function of one number.
template <class Function>
SGMCMC_INLINE Pack<double> with_reflection(const Pack<double>& x, const Pack<double>& result, Function reflected) {
  const auto is_reflected = x <= Pack<double>(0.0);
  if (!any(is_reflected)) return result;
  return select(is_reflected, lane_by_lane(x, [&](double v) { return v <= 0.0 ? reflected(v) : 0.0; }), result);
}

/// Sine and cosine of pi x, the angle reduced exactly so that poles stay at the integers.
struct SinCosPi {
  double sin, cos;
};
inline SinCosPi sincos_pi(double x) {
  const double turn = x - 2.0 * std::floor(x / 2.0);
  const auto pair = sincos_2pi(Pack<double>(0.5 * turn));
  return {pair.sin[0], pair.cos[0]};
}

inline double digamma_reflected(double x) {
  if (x == 0.0) return std::copysign(infinity<double>, -x);
  if (x == std::floor(x)) return not_a_number<double>;
  const auto angle = sincos_pi(x);
  return digamma_of_positive(Pack<double>(1.0 - x))[0] - M_PI * angle.cos / angle.sin;
}

inline double trigamma_reflected(double x) {
  if (x == std::floor(x)) return infinity<double>;
  const auto angle = sincos_pi(x);
  return M_PI * M_PI / (angle.sin * angle.sin) - trigamma_of_positive(Pack<double>(1.0 - x))[0];
}

inline double tetragamma_reflected(double x) {
  if (x == std::floor(x)) return not_a_number<double>;
  const auto angle = sincos_pi(x);
  const double slope = 2.0 * M_PI * M_PI * M_PI * angle.cos / (angle.sin * angle.sin * angle.sin);
  return tetragamma_of_positive(Pack<double>(1.0 - x))[0] - slope;
}

inline double lgamma_reflected(double x) {
  int sign = 0;  // lgamma_r, because lgamma is not thread-safe
  return ::lgamma_r(x, &sign);
}

}  // namespace detail

/// log |Gamma(x)|; +infinity at the poles 0, -1, -2, ...
SGMCMC_INLINE Pack<double> lgamma(const Pack<double>& x) {
  return detail::with_reflection(x, detail::lgamma_of_positive(x), detail::lgamma_reflected);
}
/// d/dx lgamma(x); NaN at the negative integers.
SGMCMC_INLINE Pack<double> digamma(const Pack<double>& x) {
  return detail::with_reflection(x, detail::digamma_of_positive(x), detail::digamma_reflected);
}
/// d/dx digamma(x).
SGMCMC_INLINE Pack<double> trigamma(const Pack<double>& x) {
  return detail::with_reflection(x, detail::trigamma_of_positive(x), detail::trigamma_reflected);
}
/// d/dx trigamma(x).
SGMCMC_INLINE Pack<double> tetragamma(const Pack<double>& x) {
  return detail::with_reflection(x, detail::tetragamma_of_positive(x), detail::tetragamma_reflected);
}

SGMCMC_FLOAT_IN_DOUBLE(lgamma)
SGMCMC_FLOAT_IN_DOUBLE(digamma)
SGMCMC_FLOAT_IN_DOUBLE(trigamma)
SGMCMC_FLOAT_IN_DOUBLE(tetragamma)

}  // namespace sgmcmc
