// Reference special functions, for double and dual numbers: integrals and Newton steps in plain arithmetic.
#pragma once

#include "reference/dual.hpp"

#include <boost/math/quadrature/gauss.hpp>

#include <cmath>
#include <numbers>

namespace sgmcmc::reference {

/// The integral of f from `from` to `to`, in panels of 30 Gauss points; f maps a double to a scalar.
template <class S, class F>
S integral(const F& f, double from, double to, int panels = 1) {
  using Rule = boost::math::quadrature::gauss<double, 30>;
  const double half = 0.5 * (to - from) / panels;
  S total(0.0);
  for (int panel = 0; panel < panels; ++panel) {
    const double centre = from + (2 * panel + 1) * half;
    for (std::size_t i = 0; i < Rule::abscissa().size(); ++i) {
      const double step = half * Rule::abscissa()[i];
      total += S(half * Rule::weights()[i]) * (f(centre - step) + f(centre + step));
    }
  }
  return total;
}

/// The integral of f over s > 0 where f decays like exp(-rate s): the trapezoidal rule after s = exp(t - exp(-t)) /
/// rate.
template <class S, class F>
S integral_with_exponential_tail(const F& f, double rate) {
  constexpr double h = 0.07;
  S total(0.0);
  for (double t = -3.6; t < 4.2; t += h) {
    const double w = std::exp(t - std::exp(-t));
    total += S(h * w * (1 + std::exp(-t)) / rate) * f(w / rate);
  }
  return total;
}

/// The same where f decays like a power: s = exp(sinh(t) pi / 2).
template <class S, class F>
S integral_with_algebraic_tail(const F& f) {
  constexpr double h = 0.06;
  S total(0.0);
  for (double t = -3.9; t < 6.0; t += h) {
    const double s = std::exp(0.5 * std::numbers::pi * std::sinh(t));
    total += S(h * s * 0.5 * std::numbers::pi * std::cosh(t)) * f(s);
  }
  return total;
}

/// The mean of f over a full circle, which for smooth periodic f converges at once.
template <class S, class F>
S mean_over_circle(const F& f) {
  constexpr int points = 128;
  S total(0.0);
  for (int k = 0; k < points; ++k) total += f(2 * std::numbers::pi * k / points);
  return total / S(static_cast<double>(points));
}

namespace functions {

template <class S>
S asinh(const S& x) {
  using std::log1p, std::sqrt;
  const S z = primal(x) < 0 ? -x : x;
  const S result = log1p(z + z * z / (S(1.0) + sqrt(S(1.0) + z * z)));
  return primal(x) < 0 ? -result : result;
}
template <class S>
S acosh(const S& x) {
  using std::log, std::sqrt;
  return log(x + sqrt(x - S(1.0)) * sqrt(x + S(1.0)));
}
template <class S>
S atanh(const S& x) {
  using std::log1p;
  return S(0.5) * (log1p(x) - log1p(-x));
}
template <class S>
S cbrt(const S& x) {
  using std::exp, std::log;
  return primal(x) < 0 ? -exp(log(-x) / S(3.0)) : exp(log(x) / S(3.0));
}
template <class S>
S trunc(const S& x) {
  return S(std::trunc(primal(x)));
}
template <class S>
S tgamma(const S& x) {
  using std::exp, std::lgamma, std::sin;
  if (primal(x) > 0) return exp(lgamma(x));
  return S(std::numbers::pi) / (sin(S(std::numbers::pi) * x) * exp(lgamma(S(1.0) - x)));
}

/// Newton steps from a start that is right to double precision give the derivatives too, one order each.
template <class S>
S inv_phi(const S& p) {
  using std::erfc, std::exp;
  double low = -40, high = 40;
  for (int i = 0; i < 80; ++i) {
    const double middle = 0.5 * (low + high);
    (0.5 * std::erfc(-middle / std::numbers::sqrt2) < primal(p) ? low : high) = middle;
  }
  S y(low);
  for (int i = 0; i < 4; ++i) {
    const S density = S(1 / std::sqrt(2 * std::numbers::pi)) * exp(S(-0.5) * y * y);
    y = y - (S(0.5) * erfc(S(-1 / std::numbers::sqrt2) * y) - p) / density;
  }
  return y;
}
template <class S>
S lambert_w0(const S& x) {
  using std::exp;
  double low = -1, high = 50;
  for (int i = 0; i < 80; ++i) {
    const double middle = 0.5 * (low + high);
    (middle * std::exp(middle) < primal(x) ? low : high) = middle;
  }
  S w(low);
  for (int i = 0; i < 4; ++i) w = w - (w * exp(w) - x) / (exp(w) * (S(1.0) + w));
  return w;
}

template <class S>
S log_bessel_i0(const S& x) {
  using std::exp, std::log;
  return x + log(mean_over_circle<S>([&](double angle) { return exp(x * S(std::cos(angle) - 1)); }));
}
template <class S>
S bessel_ratio(const S& x) {
  using std::exp;
  const auto weight = [&](double angle) { return exp(x * S(std::cos(angle) - 1)); };
  return mean_over_circle<S>([&](double angle) { return S(std::cos(angle)) * weight(angle); }) /
         mean_over_circle<S>(weight);
}
template <class S>
S bessel_first_kind(const S& order, const S& x) {
  using std::cos;
  const double n = std::round(primal(order));
  return mean_over_circle<S>([&](double angle) { return cos(S(n * angle) - x * S(std::sin(angle))); });
}
template <class S>
S bessel_second_kind(const S& order, const S& x) {
  using std::exp, std::sin;
  const double n = std::round(primal(order));
  const double sign = std::fmod(std::abs(n), 2.0) == 1 ? -1 : 1;
  const S oscillating =
      integral<S>([&](double angle) { return sin(x * S(std::sin(angle)) - S(n * angle)); }, 0, std::numbers::pi, 2);
  const S decaying =
      integral<S>([&](double t) { return S(std::exp(n * t) + sign * std::exp(-n * t)) * exp(-x * S(std::sinh(t))); }, 0,
                  std::asinh((60 + 8 * std::abs(n)) / primal(x)), 4);
  return (oscillating - decaying) / S(std::numbers::pi);
}
template <class S>
S modified_bessel_first_kind(const S& order, const S& x) {
  using std::exp;
  const double n = std::round(primal(order));
  return mean_over_circle<S>([&](double angle) { return S(std::cos(n * angle)) * exp(x * S(std::cos(angle))); });
}
template <class S>
S modified_bessel_second_kind(const S& order, const S& x) {
  using std::exp;
  const double n = std::round(primal(order));
  return integral<S>([&](double t) { return S(std::cosh(n * t)) * exp(-x * S(std::cosh(t))); }, 0,
                     std::acosh(1 + (60 + 8 * std::abs(n)) / primal(x)), 4);
}

template <class S>
S atan2(const S& y, const S& x) {
  using std::atan;
  const double pi = std::numbers::pi;
  if (std::abs(primal(x)) >= std::abs(primal(y)))
    return atan(y / x) + S(primal(x) >= 0 ? 0 : primal(y) >= 0 ? pi : -pi);
  return S(primal(y) > 0 ? 0.5 * pi : -0.5 * pi) - atan(x / y);
}
template <class S>
S hypot(const S& a, const S& b) {
  using std::sqrt;
  return sqrt(a * a + b * b);
}
template <class S>
S fmod(const S& a, const S& b) {
  return a - b * S(std::trunc(primal(a) / primal(b)));
}
template <class S>
S owens_t(const S& h, const S& a) {
  using std::exp;
  const S inside = integral<S>(
      [&](double u) {
        const S one_plus = S(1.0) + a * a * S(u * u);
        return exp(S(-0.5) * h * h * one_plus) / one_plus;
      },
      0, 1, 2);
  return S(0.5 / std::numbers::pi) * a * inside;
}

/// Q(a, x) Gamma(a) = x^a exp(-x) times the integral of (1 + s)^(a - 1) exp(-x s).
template <class S>
S log_upper_gamma_integral(const S& a, const S& x) {
  using std::exp, std::lgamma, std::log;
  const S inside = integral_with_exponential_tail<S>(
      [&](double s) { return exp((a - S(1.0)) * S(std::log1p(s)) - x * S(s)); }, primal(x));
  return a * log(x) - x - lgamma(a) + log(inside);
}
/// P(a, x) Gamma(a) = x^a times the integral of exp(-a s - x exp(-s)).
template <class S>
S log_lower_gamma_integral(const S& a, const S& x) {
  using std::exp, std::lgamma, std::log;
  const S inside =
      integral_with_exponential_tail<S>([&](double s) { return exp(-a * S(s) - x * S(std::exp(-s))); }, primal(a));
  return a * log(x) - lgamma(a) + log(inside);
}
template <class S>
S log_gamma_p(const S& a, const S& x) {
  using std::exp, std::log1p;
  return primal(x) < primal(a) + 1 ? log_lower_gamma_integral(a, x) : log1p(-exp(log_upper_gamma_integral(a, x)));
}
template <class S>
S log_gamma_q(const S& a, const S& x) {
  using std::exp, std::log1p;
  return primal(x) < primal(a) + 1 ? log1p(-exp(log_lower_gamma_integral(a, x))) : log_upper_gamma_integral(a, x);
}

/// I_x(a, b) B(a, b) = x^a times the integral of exp(-a s) (1 - x exp(-s))^(b - 1).
template <class S>
S log_inc_beta(const S& a, const S& b, const S& x) {
  using std::exp, std::lgamma, std::log, std::log1p;
  if (primal(x) > (primal(a) + 1) / (primal(a) + primal(b) + 2))
    return log1p(-exp(functions::log_inc_beta<S>(b, a, S(1.0) - x)));
  const S inside = integral_with_exponential_tail<S>(
      [&](double s) { return exp((b - S(1.0)) * log1p(-x * S(std::exp(-s))) - a * S(s)); }, primal(a));
  return a * log(x) - lgamma(a) - lgamma(b) + lgamma(a + b) + log(inside);
}

/// Student's law below -|t| as the integral of its density.
template <class S>
S student_tail(const S& t, const S& degrees) {
  using std::exp, std::lgamma, std::log, std::log1p;
  const S z = primal(t) < 0 ? -t : t;
  const S power = S(0.5) * (degrees + S(1.0));
  const S log_constant = lgamma(power) - lgamma(S(0.5) * degrees) - S(0.5) * log(S(std::numbers::pi) * degrees);
  return integral_with_algebraic_tail<S>([&](double s) {
    const S at = z + S(s);
    return exp(log_constant - power * log1p(at * at / degrees));
  });
}
template <class S>
S log_student_t_cdf(const S& t, const S& degrees) {
  using std::log, std::log1p;
  const S tail = student_tail(t, degrees);
  return primal(t) < 0 ? log(tail) : log1p(-tail);
}

// Derivatives in shapes, as duals have them.
#define SGMCMC_DERIVATIVE_IN_FIRST(name, of)                               \
  template <class S>                                                       \
  S name(const S& a, const S& b) {                                         \
    return of<Dual<S>>(Dual<S>(a, S(1.0)), Dual<S>(b, S(0.0))).derivative; \
  }
SGMCMC_DERIVATIVE_IN_FIRST(log_gamma_p_shape, log_gamma_p)
SGMCMC_DERIVATIVE_IN_FIRST(log_gamma_q_shape, log_gamma_q)
#undef SGMCMC_DERIVATIVE_IN_FIRST
template <class S>
S log_student_t_cdf_degrees(const S& t, const S& degrees) {
  return log_student_t_cdf<Dual<S>>(Dual<S>(t, S(0.0)), Dual<S>(degrees, S(1.0))).derivative;
}
template <class S>
S log_inc_beta_a(const S& a, const S& b, const S& x) {
  return log_inc_beta<Dual<S>>(Dual<S>(a, S(1.0)), Dual<S>(b, S(0.0)), Dual<S>(x, S(0.0))).derivative;
}
template <class S>
S log_inc_beta_b(const S& a, const S& b, const S& x) {
  return log_inc_beta<Dual<S>>(Dual<S>(a, S(0.0)), Dual<S>(b, S(1.0)), Dual<S>(x, S(0.0))).derivative;
}

}  // namespace functions
}  // namespace sgmcmc::reference
