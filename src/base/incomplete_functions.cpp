// Incomplete gamma and beta functions: values by Boost, derivatives in the shapes by differentiating a power series or
// a continued fraction term by term, without cancellation.
#include "base/boost_policy.hpp"
#include "base/special_functions.hpp"

#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/gamma.hpp>

#include <cmath>
#include <limits>

namespace sgmcmc::special {
namespace {

constexpr double epsilon = 1e-16;
constexpr double smallest = 1e-280;  ///< below this, computes the logarithm directly: Boost's value would underflow
constexpr int most_terms = 200000;

double log_gamma(double x) { return boost::math::lgamma(x, QuietPolicy()); }
double digamma(double x) { return boost::math::digamma(x, QuietPolicy()); }

double log_beta(double a, double b) {
  // Through the ratio of gamma functions: for large arguments their logarithms cancel.
  const double larger = std::max(a, b);
  const double smaller = std::min(a, b);
  if (larger < 10.0) return log_gamma(a) + log_gamma(b) - log_gamma(a + b);
  return log_gamma(smaller) + std::log(boost::math::tgamma_delta_ratio(larger, smaller, QuietPolicy()));
}

/// A number with its derivatives in two parameters.
struct Derived {
  double value = 0, first = 0, second = 0;

  friend Derived operator+(const Derived& x, const Derived& y) {
    return {x.value + y.value, x.first + y.first, x.second + y.second};
  }
  friend Derived operator*(const Derived& x, const Derived& y) {
    return {x.value * y.value, x.first * y.value + x.value * y.first, x.second * y.value + x.value * y.second};
  }
  friend Derived operator/(const Derived& x, const Derived& y) {
    const double quotient = x.value / y.value;
    return {quotient, (x.first - quotient * y.first) / y.value, (x.second - quotient * y.second) / y.value};
  }
};

Derived number(double value) { return {value, 0, 0}; }

/// b0 + a1 / (b1 + a2 / (b2 + ...)) by Lentz's method, where term(n, a, b) sets a_n and b_n.
template <class Term>
Derived continued_fraction(const Derived& b0, Term term) {
  constexpr double tiny = 1e-300;
  const auto away_from_zero = [](Derived x) {
    if (std::abs(x.value) < tiny) x.value = tiny;
    return x;
  };
  Derived result = away_from_zero(b0);
  Derived numerator = result;
  Derived denominator = number(0.0);
  for (int n = 1; n < most_terms; ++n) {
    Derived a, b;
    term(n, a, b);
    denominator = number(1.0) / away_from_zero(b + a * denominator);
    numerator = away_from_zero(b + a / numerator);
    const Derived change = numerator * denominator;
    const Derived before = result;
    result = result * change;
    const auto settled = [](double now, double then, double scale) {
      return std::abs(now - then) <= epsilon * std::max(std::abs(now), scale);
    };
    const double scale = std::abs(result.value);
    if (settled(result.value, before.value, 0) && settled(result.first, before.first, 1e-3 * scale) &&
        settled(result.second, before.second, 1e-3 * scale))
      break;
  }
  return result;
}

/// A logarithm and its derivatives.
struct LogDerived {
  double value = 0, first = 0, second = 0;
};

/// log P by its power series: P = x^a exp(-x) / Gamma(a + 1) * sum x^n / ((a + 1) ... (a + n)).
LogDerived lower_gamma(double a, double x) {
  double term = 1.0, slope = 0.0, total = 1.0, slopes = 0.0;
  for (int n = 1; n < most_terms; ++n) {
    const double factor = x / (a + n);
    slope = (slope - term / (a + n)) * factor;
    term *= factor;
    total += term;
    slopes += slope;
    if (term <= epsilon * total && std::abs(slope) <= epsilon * std::abs(slopes)) break;
  }
  const double log_x = std::log(x);
  return {a * log_x - x - log_gamma(a + 1.0) + std::log(total), log_x - digamma(a + 1.0) + slopes / total, 0};
}

/// log Q by its continued fraction: Q = x^a exp(-x) / Gamma(a) / (x + 1 - a + 1 (a - 1) / (x + 3 - a + 2 (a - 2) ...
LogDerived upper_gamma(double a, double x) {
  const auto fraction = continued_fraction({x + 1.0 - a, -1.0, 0}, [&](int n, Derived& numerator, Derived& b) {
    numerator = {n * (a - n), static_cast<double>(n), 0};
    b = {x + 2.0 * n + 1.0 - a, -1.0, 0};
  });
  const double log_x = std::log(x);
  return {a * log_x - x - log_gamma(a) - std::log(fraction.value), log_x - digamma(a) - fraction.first / fraction.value,
          0};
}

bool gamma_arguments_are_valid(double a, double x) { return a > 0.0 && x >= 0.0 && std::isfinite(a); }
bool below_the_middle(double a, double x) { return x < a + 1.0; }

/// log I_x(a, b) and its derivatives for x below the centre of the distribution; y = 1 - x is passed separately for
/// precision.
LogDerived lower_beta(double a, double b, double x, double y) {
  const auto fraction = continued_fraction(number(1.0), [&](int n, Derived& numerator, Derived& one) {
    const int m = n / 2;
    const Derived da{a, 1, 0}, db{b, 0, 1};
    const Derived even = da + number(2.0 * m);
    if (n % 2 == 0)
      numerator = number(m * x) * (db + number(-m)) / ((even + number(-1.0)) * even);
    else
      numerator = number(-x) * (da + number(m)) * (da + db + number(m)) / (even * (even + number(1.0)));
    one = number(1.0);
  });
  const double log_x = x > 0.5 ? std::log1p(-y) : std::log(x);
  const double log_y = y > 0.5 ? std::log1p(-x) : std::log(y);
  const double of_sum = digamma(a + b);
  return {a * log_x + b * log_y - std::log(a) - log_beta(a, b) - std::log(fraction.value),
          log_x - digamma(a + 1.0) + of_sum - fraction.first / fraction.value,
          log_y - digamma(b) + of_sum - fraction.second / fraction.value};
}

/// log I_x(a, b) for 0 < x < 1, x + y = 1.
double log_beta_value(double a, double b, double x, double y) {
  const bool lower = x < (a + 1.0) / (a + b + 2.0);
  if (!lower) {
    const double rest = boost::math::ibeta(b, a, y, QuietPolicy());
    return rest < 0.5 ? std::log1p(-rest) : std::log(boost::math::ibetac(b, a, y, QuietPolicy()));
  }
  const double share = boost::math::ibeta(a, b, x, QuietPolicy());
  return share > smallest ? std::log(share) : lower_beta(a, b, x, y).value;
}

/// Both derivatives of log I_x(a, b), with the value.
LogDerived log_beta_derived(double a, double b, double x, double y) {
  if (x < (a + 1.0) / (a + b + 2.0)) {
    auto result = lower_beta(a, b, x, y);
    result.value = log_beta_value(a, b, x, y);
    return result;
  }
  // I_x(a, b) = 1 - I_y(b, a).
  const auto rest = lower_beta(b, a, y, x);
  const double value = log_beta_value(a, b, x, y);
  const double odds = -boost::math::ibeta(b, a, y, QuietPolicy()) / std::exp(value);
  return {value, odds * rest.second, odds * rest.first};
}

bool beta_arguments_are_valid(double a, double b, double x) {
  return a > 0.0 && b > 0.0 && x >= 0.0 && x <= 1.0 && std::isfinite(a) && std::isfinite(b);
}

LogDerived log_beta_at(double a, double b, double x) {
  if (!beta_arguments_are_valid(a, b, x)) return {nan, nan, nan};
  if (x == 0.0) return {-infinity, -infinity, infinity};
  if (x == 1.0) return {0, 0, 0};
  return log_beta_derived(a, b, x, 1.0 - x);
}

/// Student's distribution function at -|t|: half of I_x(degrees / 2, 1 / 2) at x = degrees / (degrees + t^2).
struct StudentTail {
  double log_share, slope;  ///< its logarithm, and the derivative of that in the degrees
};

StudentTail student_tail(double t, double degrees, bool with_slope) {
  const double a = 0.5 * degrees;
  const double b = 0.5;
  const double ratio = t / degrees * t;
  const double x = 1.0 / (1.0 + ratio);
  const double y = ratio / (1.0 + ratio);
  constexpr double log_half = -0.693147180559945309417;
  if (y <= 0.0) return {log_half, 0.0};
  if (!(x > 0.0)) return {-infinity, nan};
  if (!with_slope) return {log_beta_value(a, b, x, y) + log_half, 0.0};
  const auto share = log_beta_derived(a, b, x, y);
  // x depends on the degrees too: dx/d(degrees) = x y / degrees, and dI/dx = x^(a-1) y^(b-1) / B(a, b).
  const double log_x = x > 0.5 ? std::log1p(-y) : std::log(x);
  const double along = std::exp(a * log_x + b * std::log(y) - log_beta(a, b) - share.value) / degrees;
  return {share.value + log_half, 0.5 * share.first + along};
}

}  // namespace

double log_gamma_p(double shape, double x) {
  if (!gamma_arguments_are_valid(shape, x)) return nan;
  if (x == 0.0) return -infinity;
  if (x == infinity) return 0.0;
  if (!below_the_middle(shape, x)) return std::log1p(-boost::math::gamma_q(shape, x, QuietPolicy()));
  const double share = boost::math::gamma_p(shape, x, QuietPolicy());
  if (share > 0.9) return std::log1p(-boost::math::gamma_q(shape, x, QuietPolicy()));
  return share > smallest ? std::log(share) : lower_gamma(shape, x).value;
}

double log_gamma_q(double shape, double x) {
  if (!gamma_arguments_are_valid(shape, x)) return nan;
  if (x == 0.0) return 0.0;
  if (x == infinity) return -infinity;
  const double share = boost::math::gamma_q(shape, x, QuietPolicy());
  if (share > 0.9) return std::log1p(-boost::math::gamma_p(shape, x, QuietPolicy()));
  return share > smallest ? std::log(share) : upper_gamma(shape, x).value;
}

double log_gamma_p_shape(double shape, double x) {
  if (!gamma_arguments_are_valid(shape, x)) return nan;
  if (x == 0.0) return -infinity;
  if (x == infinity) return 0.0;
  if (below_the_middle(shape, x)) return lower_gamma(shape, x).first;
  return -std::exp(log_gamma_q(shape, x) - log_gamma_p(shape, x)) * upper_gamma(shape, x).first;
}

double log_gamma_q_shape(double shape, double x) {
  if (!gamma_arguments_are_valid(shape, x)) return nan;
  if (x == 0.0) return 0.0;
  if (x == infinity) return infinity;
  if (!below_the_middle(shape, x)) return upper_gamma(shape, x).first;
  return -std::exp(log_gamma_p(shape, x) - log_gamma_q(shape, x)) * lower_gamma(shape, x).first;
}

double log_inc_beta(double a, double b, double x) {
  if (!beta_arguments_are_valid(a, b, x)) return nan;
  if (x == 0.0) return -infinity;
  return x == 1.0 ? 0.0 : log_beta_value(a, b, x, 1.0 - x);
}

double log_inc_beta_a(double a, double b, double x) { return log_beta_at(a, b, x).first; }
double log_inc_beta_b(double a, double b, double x) { return log_beta_at(a, b, x).second; }

double log_student_t_cdf(double t, double degrees) {
  if (std::isnan(t) || !(degrees > 0.0)) return nan;
  if (std::isinf(t)) return t > 0 ? 0.0 : -infinity;
  const auto tail = student_tail(t, degrees, false);
  return t < 0 ? tail.log_share : std::log1p(-std::exp(tail.log_share));
}

double log_student_t_cdf_degrees(double t, double degrees) {
  if (std::isnan(t) || !(degrees > 0.0)) return nan;
  if (std::isinf(t)) return t > 0 ? 0.0 : infinity;
  const auto tail = student_tail(t, degrees, true);
  if (t < 0) return tail.slope;
  const double share = std::exp(tail.log_share);
  return -share / (1.0 - share) * tail.slope;
}

}  // namespace sgmcmc::special
