// Functions on numbers with the names of the functions on expressions, so that one body serves both.
#pragma once

#include "base/normal_cdf.hpp"
#include "base/special_functions.hpp"

#include <cmath>
#include <limits>

namespace sgmcmc::stan::numbers {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

using special::lambert_w0;
using special::owens_t;
using special::tgamma;
using std::abs;
using std::acos;
using std::acosh;
using std::asin;
using std::asinh;
using std::atan;
using std::atan2;
using std::atanh;
using std::cbrt;
using std::ceil;
using std::cos;
using std::cosh;
using std::erf;
using std::erfc;
using std::exp;
using std::exp2;
using std::expm1;
using std::floor;
using std::fma;
using std::fmod;
using std::hypot;
using std::log;
using std::log10;
using std::log1p;
using std::log2;
using std::pow;
using std::round;
using std::sin;
using std::sinh;
using std::sqrt;
using std::tan;
using std::tanh;
using std::trunc;

inline double square(double x) { return x * x; }
inline double reciprocal(double x) { return 1 / x; }
inline double inv(double x) { return 1 / x; }
inline double inv_sqrt(double x) { return 1 / std::sqrt(x); }
inline double inv_square(double x) { return 1 / (x * x); }
inline double logistic(double x) { return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x)); }
inline double log1p_exp(double x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }
inline double log_logistic(double x) { return -log1p_exp(-x); }
inline double log_inv_logit(double x) { return -log1p_exp(-x); }
inline double log1m_inv_logit(double x) { return -log1p_exp(x); }
inline double log1m(double x) { return std::log1p(-x); }
inline double log1m_exp(double x) { return x > -0.693 ? std::log(-std::expm1(x)) : std::log1p(-std::exp(x)); }
inline double logit(double x) { return std::log(x) - std::log1p(-x); }
inline double inv_cloglog(double x) { return -std::expm1(-std::exp(x)); }
inline double sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }
inline double step(double x) { return x < 0 ? 0 : 1; }
inline double Phi(double x) { return normal_cdf(x); }
inline double Phi_approx(double x) { return logistic(0.07056 * x * x * x + 1.5976 * x); }
inline double inv_Phi(double p) { return special::inv_phi(p); }
double lgamma(double x);  ///< thread-safe, unlike std::lgamma, which writes to a global
double digamma(double x);
double trigamma(double x);
inline double max(double a, double b) { return a < b || std::isnan(b) ? b : a; }
inline double min(double a, double b) { return b < a || std::isnan(b) ? b : a; }
inline double fdim(double a, double b) { return a > b ? a - b : a <= b ? 0 : not_a_number; }
inline double log_add_exp(double a, double b) {
  const double high = max(a, b);
  return std::isinf(high) || std::isnan(high) ? high : high + std::log1p(std::exp(-std::fabs(a - b)));
}
inline double log_diff_exp(double a, double b) {
  return a == b ? (a == infinity ? not_a_number : -infinity) : a + log1m_exp(b - a);
}
inline double multiply_log(double a, double b) { return a == 0 && b == 0 ? 0 : a * std::log(b); }
inline double lmultiply(double a, double b) { return multiply_log(a, b); }
inline bool equal(double a, double b) { return a == b; }
inline bool not_equal(double a, double b) { return a != b; }
inline double select(bool condition, double a, double b) { return condition ? a : b; }

}  // namespace sgmcmc::stan::numbers
