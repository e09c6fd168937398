// Reference definition of every elementwise op on one element, for double and dual numbers: one function per op, with
// its name.
#pragma once

#include "reference/dual.hpp"

#include <cmath>
#include <limits>
#include <numbers>

namespace sgmcmc::reference {

/// log(Phi(x)) far in the lower tail, by the continued fraction of the Mills ratio: Phi(-t) = phi(t) / (t + 1/(t +
/// 2/(...
template <class S>
S log_phi_tail(const S& x) {
  using std::log;
  const S t = -x;
  S fraction = t;
  for (int term = 200; term >= 1; --term) fraction = t + S(static_cast<double>(term)) / fraction;
  return S(-0.5) * t * t - log(fraction) - S(0.5 * std::log(2 * std::numbers::pi));
}

namespace functions {

// Those that the standard library (for doubles) and dual.hpp (for duals) have under the op's name.
#define SGMCMC_STANDARD_FUNCTION(name) \
  template <class S>                   \
  S name(const S& x) {                 \
    using std::name;                   \
    return name(x);                    \
  }
SGMCMC_STANDARD_FUNCTION(exp)
SGMCMC_STANDARD_FUNCTION(log)
SGMCMC_STANDARD_FUNCTION(log1p)
SGMCMC_STANDARD_FUNCTION(expm1)
SGMCMC_STANDARD_FUNCTION(tanh)
SGMCMC_STANDARD_FUNCTION(sinh)
SGMCMC_STANDARD_FUNCTION(cosh)
SGMCMC_STANDARD_FUNCTION(sin)
SGMCMC_STANDARD_FUNCTION(cos)
SGMCMC_STANDARD_FUNCTION(tan)
SGMCMC_STANDARD_FUNCTION(asin)
SGMCMC_STANDARD_FUNCTION(acos)
SGMCMC_STANDARD_FUNCTION(atan)
SGMCMC_STANDARD_FUNCTION(sqrt)
SGMCMC_STANDARD_FUNCTION(lgamma)
SGMCMC_STANDARD_FUNCTION(erf)
SGMCMC_STANDARD_FUNCTION(erfc)
#undef SGMCMC_STANDARD_FUNCTION

template <class S>
S negate(const S& x) {
  return -x;
}
template <class S>
S square(const S& x) {
  return x * x;
}
template <class S>
S reciprocal(const S& x) {
  return S(1.0) / x;
}
template <class S>
S abs(const S& x) {
  return primal(x) < 0 ? -x : x;
}
template <class S>
S sign(const S& x) {
  return S(primal(x) > 0 ? 1.0 : primal(x) < 0 ? -1.0 : 0.0);
}
template <class S>
S floor(const S& x) {
  return S(std::floor(primal(x)));
}
template <class S>
S ceil(const S& x) {
  return S(std::ceil(primal(x)));
}
template <class S>
S round(const S& x) {
  return S(std::round(primal(x)));
}
template <class S>
S digamma(const S& x) {
  return polygamma(0, x);
}
template <class S>
S trigamma(const S& x) {
  return polygamma(1, x);
}
template <class S>
S tetragamma(const S& x) {
  return polygamma(2, x);
}

template <class S>
S logistic(const S& x) {
  using std::exp;
  if (primal(x) > 0) return S(1.0) / (S(1.0) + exp(-x));
  const S e = exp(x);
  return e / (S(1.0) + e);
}

template <class S>
S log1p_exp(const S& x) {
  using std::exp, std::log1p;
  return primal(x) > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
}

template <class S>
S log_logistic(const S& x) {
  return -functions::log1p_exp<S>(-x);
}

template <class S>
S log1m_exp(const S& x) {
  using std::exp, std::expm1, std::log, std::log1p;
  return primal(x) > -std::numbers::ln2 ? log(-expm1(x)) : log1p(-exp(x));
}

template <class S>
S phi(const S& x) {
  using std::erfc;
  return S(0.5) * erfc(S(-std::numbers::sqrt2 / 2) * x);
}

template <class S>
S log_phi(const S& x) {
  using std::log, std::log1p;
  if (primal(x) < -5) return log_phi_tail(x);
  return primal(x) < 0 ? log(functions::phi<S>(x)) : log1p(-functions::phi<S>(-x));
}

template <class S>
S add(const S& a, const S& b) {
  return a + b;
}
template <class S>
S subtract(const S& a, const S& b) {
  return a - b;
}
template <class S>
S multiply(const S& a, const S& b) {
  return a * b;
}
template <class S>
S divide(const S& a, const S& b) {
  return a / b;
}
template <class S>
S pow(const S& a, const S& b) {
  using std::pow;
  return pow(a, b);
}
template <class S>
S maximum(const S& a, const S& b) {
  return primal(a) < primal(b) ? b : a;
}
template <class S>
S minimum(const S& a, const S& b) {
  return primal(b) < primal(a) ? b : a;
}
template <class S>
S less(const S& a, const S& b) {
  return S(primal(a) < primal(b) ? 1.0 : 0.0);
}
template <class S>
S less_equal(const S& a, const S& b) {
  return S(primal(a) <= primal(b) ? 1.0 : 0.0);
}
template <class S>
S equal(const S& a, const S& b) {
  return S(primal(a) == primal(b) ? 1.0 : 0.0);
}
template <class S>
S not_equal(const S& a, const S& b) {
  return S(primal(a) != primal(b) ? 1.0 : 0.0);
}

template <class S>
S log_add_exp(const S& a, const S& b) {
  const bool a_is_larger = primal(b) < primal(a);
  const S larger = a_is_larger ? a : b;
  const S smaller = a_is_larger ? b : a;
  if (std::isinf(primal(larger))) return larger;  // both -inf, or +inf: their difference is not a number
  return larger + functions::log1p_exp<S>(smaller - larger);
}

template <class S>
S multiply_log(const S& a, const S& b) {
  using std::log;
  return is_zero(a) ? S(0.0) : a * log(b);
}

template <class S>
S zero_safe_divide(const S& a, const S& b) {
  return is_zero(a) ? S(0.0) : a / b;
}

}  // namespace functions
}  // namespace sgmcmc::reference
