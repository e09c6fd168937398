// Forward-mode dual numbers: a value with its derivative along one direction; nested duals give second derivatives.
//
// Independent of the graph's differentiation, so that the two can be compared. A zero derivative stays zero for any
// slope, so constants never turn an infinite slope into NaN.
#pragma once

#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/polygamma.hpp>

#include <cmath>
#include <numbers>

namespace sgmcmc::reference {

inline double primal(double x) { return x; }
inline bool is_zero(double x) { return x == 0; }

/// The n-th derivative of digamma; n = 0 is digamma itself.
inline double polygamma(int n, double x) { return n == 0 ? boost::math::digamma(x) : boost::math::polygamma(n, x); }

/// slope * direction; 0 for a zero direction, whatever the slope.
template <class T>
T along(const T& slope, const T& direction) {
  return is_zero(direction) ? T(0.0) : slope * direction;
}

template <class T>
struct Dual {
  T value = T(0.0);
  T derivative = T(0.0);

  Dual() = default;
  Dual(double constant) : value(constant) {}
  Dual(const T& v, const T& d) : value(v), derivative(d) {}

  friend Dual operator-(const Dual& x) { return {-x.value, -x.derivative}; }
  friend Dual operator+(const Dual& a, const Dual& b) { return {a.value + b.value, a.derivative + b.derivative}; }
  friend Dual operator-(const Dual& a, const Dual& b) { return {a.value - b.value, a.derivative - b.derivative}; }
  friend Dual operator*(const Dual& a, const Dual& b) {
    return {a.value * b.value, along(b.value, a.derivative) + along(a.value, b.derivative)};
  }
  friend Dual operator/(const Dual& a, const Dual& b) {
    const T quotient = a.value / b.value;
    return {quotient, along(T(1.0) / b.value, a.derivative) - along(quotient / b.value, b.derivative)};
  }
  friend Dual& operator+=(Dual& a, const Dual& b) { return a = a + b; }
  friend Dual& operator-=(Dual& a, const Dual& b) { return a = a - b; }
};

template <class T>
double primal(const Dual<T>& x) {
  return primal(x.value);
}

template <class T>
bool is_zero(const Dual<T>& x) {
  return is_zero(x.value) && is_zero(x.derivative);
}

/// A function from its value and its slope at x.
template <class T>
Dual<T> chain(const T& value, const T& slope, const Dual<T>& x) {
  return {value, along(slope, x.derivative)};
}

template <class T>
Dual<T> exp(const Dual<T>& x) {
  using std::exp;
  const T value = exp(x.value);
  return chain(value, value, x);
}

template <class T>
Dual<T> expm1(const Dual<T>& x) {
  using std::exp, std::expm1;
  return chain<T>(expm1(x.value), exp(x.value), x);
}

template <class T>
Dual<T> log(const Dual<T>& x) {
  using std::log;
  return chain<T>(log(x.value), T(1.0) / x.value, x);
}

template <class T>
Dual<T> log1p(const Dual<T>& x) {
  using std::log1p;
  return chain<T>(log1p(x.value), T(1.0) / (T(1.0) + x.value), x);
}

template <class T>
Dual<T> sinh(const Dual<T>& x) {
  using std::cosh, std::sinh;
  return chain<T>(sinh(x.value), cosh(x.value), x);
}

template <class T>
Dual<T> cosh(const Dual<T>& x) {
  using std::cosh, std::sinh;
  return chain<T>(cosh(x.value), sinh(x.value), x);
}

template <class T>
Dual<T> tanh(const Dual<T>& x) {
  using std::cosh, std::tanh;
  const T hyperbolic_cosine = cosh(x.value);
  return chain<T>(tanh(x.value), T(1.0) / hyperbolic_cosine / hyperbolic_cosine, x);
}

template <class T>
Dual<T> sin(const Dual<T>& x) {
  using std::cos, std::sin;
  return chain<T>(sin(x.value), cos(x.value), x);
}

template <class T>
Dual<T> cos(const Dual<T>& x) {
  using std::cos, std::sin;
  return chain<T>(cos(x.value), -sin(x.value), x);
}

template <class T>
Dual<T> tan(const Dual<T>& x) {
  using std::cos, std::tan;
  const T cosine = cos(x.value);
  return chain<T>(tan(x.value), T(1.0) / (cosine * cosine), x);
}

template <class T>
Dual<T> sqrt(const Dual<T>& x) {
  using std::sqrt;
  const T root = sqrt(x.value);
  return chain<T>(root, T(0.5) / root, x);
}

template <class T>
Dual<T> asin(const Dual<T>& x) {
  using std::asin, std::sqrt;
  return chain<T>(asin(x.value), T(1.0) / sqrt((T(1.0) - x.value) * (T(1.0) + x.value)), x);
}

template <class T>
Dual<T> acos(const Dual<T>& x) {
  using std::acos, std::sqrt;
  return chain<T>(acos(x.value), T(-1.0) / sqrt((T(1.0) - x.value) * (T(1.0) + x.value)), x);
}

template <class T>
Dual<T> atan(const Dual<T>& x) {
  using std::atan;
  return chain<T>(atan(x.value), T(1.0) / (T(1.0) + x.value * x.value), x);
}

template <class T>
Dual<T> erf(const Dual<T>& x) {
  using std::erf, std::exp;
  return chain<T>(erf(x.value), T(2.0 * std::numbers::inv_sqrtpi) * exp(-(x.value * x.value)), x);
}

template <class T>
Dual<T> erfc(const Dual<T>& x) {
  using std::erfc, std::exp;
  return chain<T>(erfc(x.value), T(-2.0 * std::numbers::inv_sqrtpi) * exp(-(x.value * x.value)), x);
}

template <class T>
Dual<T> polygamma(int n, const Dual<T>& x) {
  return chain<T>(polygamma(n, x.value), polygamma(n + 1, x.value), x);
}

template <class T>
Dual<T> lgamma(const Dual<T>& x) {
  using std::lgamma;
  return chain<T>(lgamma(x.value), polygamma(0, x.value), x);
}

template <class T>
Dual<T> pow(const Dual<T>& base, const Dual<T>& exponent) {
  using std::log, std::pow;
  const T value = pow(base.value, exponent.value);
  T derivative = T(0.0);
  // Computes each part only if needed: 0^2 has no logarithm, and x^0 has no pole at 0.
  if (!is_zero(base.derivative) && !is_zero(exponent.value)) {
    derivative += exponent.value * pow(base.value, exponent.value - T(1.0)) * base.derivative;
  }
  if (!is_zero(exponent.derivative)) derivative += value * log(base.value) * exponent.derivative;
  return {value, derivative};
}

}  // namespace sgmcmc::reference
