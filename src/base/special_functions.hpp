// Special functions of plain numbers, lane by lane: rarely used ones, not worth vectorising.
//
// Accurate to about 1e-13 relative in ordinary ranges. Outside a function's domain the result is NaN; nothing throws.
#pragma once

#include <limits>
namespace sgmcmc::special {

inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double infinity = std::numeric_limits<double>::infinity();

double tgamma(double x);
double inv_phi(double p);     ///< standard normal quantile
double lambert_w0(double x);  ///< the w >= -1 with w exp(w) = x
double owens_t(double h, double a);

// Bessel functions; orders are rounded to whole numbers and may be negative.
double bessel_first_kind(double order, double x);
double bessel_second_kind(double order, double x);
double modified_bessel_first_kind(double order, double x);
double modified_bessel_second_kind(double order, double x);
double log_bessel_i0(double x);  ///< log I_0(x), also where I_0 overflows
double bessel_ratio(double x);   ///< I_1(x) / I_0(x), the derivative of the above

// Logarithms of regularised incomplete gamma functions (P from below, Q from above) and their derivatives in the shape.
double log_gamma_p(double shape, double x);
double log_gamma_q(double shape, double x);
double log_gamma_p_shape(double shape, double x);
double log_gamma_q_shape(double shape, double x);

// The logarithm of the regularised incomplete beta function and its derivatives in a and b.
double log_inc_beta(double a, double b, double x);
double log_inc_beta_a(double a, double b, double x);
double log_inc_beta_b(double a, double b, double x);

// The logarithm of Student's distribution function and its derivative in the degrees of freedom.
double log_student_t_cdf(double t, double degrees);
double log_student_t_cdf_degrees(double t, double degrees);

}  // namespace sgmcmc::special
