// Gamma, Bessel, Lambert and Owen functions by Boost, with edge cases that Boost does not handle.
#include "base/special_functions.hpp"

#include "base/boost_policy.hpp"

#include <boost/math/special_functions/bessel.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <boost/math/special_functions/lambert_w.hpp>
#include <boost/math/special_functions/owens_t.hpp>

#include <cmath>
#include <limits>
#include <numbers>

namespace sgmcmc::special {
namespace {

/// From here, the asymptotic series of I_0 and I_1 have full precision, long before I_0 overflows.
constexpr double bessel_asymptotic_from = 40.0;

/// sqrt(2 pi x) exp(-x) I_order(x) for order 0 or 1 and large x.
double scaled_bessel_i(int order, double x) {
  const double mu = 4.0 * order * order;
  double term = 1.0;
  double total = 1.0;
  for (int k = 1; k < 40; ++k) {
    const double odd = 2.0 * k - 1.0;
    term *= -(mu - odd * odd) / (8.0 * k * x);
    total += term;
    if (std::abs(term) < 1e-17) break;
  }
  return total;
}

int whole(double order) { return static_cast<int>(std::lround(order)); }
double alternating(int order) { return order < 0 && order % 2 != 0 ? -1.0 : 1.0; }

}  // namespace

double tgamma(double x) { return std::tgamma(x); }

double inv_phi(double p) {
  if (!(p >= 0.0 && p <= 1.0)) return nan;
  if (p == 0.0) return -infinity;
  if (p == 1.0) return infinity;
  return -std::numbers::sqrt2 * boost::math::erfc_inv(2.0 * p, QuietPolicy());
}

double lambert_w0(double x) {
  if (std::isnan(x) || x < -1.0 / std::numbers::e) return nan;
  return x == infinity ? infinity : boost::math::lambert_w0(x, QuietPolicy());
}

double owens_t(double h, double a) {
  if (std::isnan(h) || std::isnan(a)) return nan;
  return boost::math::owens_t(h, a, QuietPolicy());
}

double bessel_first_kind(double order, double x) {
  if (!std::isfinite(x)) return std::isnan(x) ? nan : 0.0;
  const int n = whole(order);
  return alternating(n) * boost::math::cyl_bessel_j(std::abs(n), x, QuietPolicy());
}

double bessel_second_kind(double order, double x) {
  if (!(x >= 0.0)) return nan;
  if (x == 0.0) return -infinity;
  if (x == infinity) return 0.0;
  const int n = whole(order);
  return alternating(n) * boost::math::cyl_neumann(std::abs(n), x, QuietPolicy());
}

double modified_bessel_first_kind(double order, double x) {
  if (!std::isfinite(x)) return std::isnan(x) ? nan : infinity;
  return boost::math::cyl_bessel_i(std::abs(whole(order)), x, QuietPolicy());
}

double modified_bessel_second_kind(double order, double x) {
  if (!(x >= 0.0)) return nan;
  if (x == 0.0) return infinity;
  if (x == infinity) return 0.0;
  return boost::math::cyl_bessel_k(std::abs(whole(order)), x, QuietPolicy());
}

double log_bessel_i0(double x) {
  const double z = std::abs(x);
  if (!(z <= std::numeric_limits<double>::max())) return z;
  if (z < bessel_asymptotic_from) return std::log(boost::math::cyl_bessel_i(0, z, QuietPolicy()));
  return z - 0.5 * std::log(2.0 * std::numbers::pi * z) + std::log(scaled_bessel_i(0, z));
}

double bessel_ratio(double x) {
  const double z = std::abs(x);
  if (std::isnan(z)) return z;
  if (z == infinity) return std::copysign(1.0, x);
  const double ratio = z < bessel_asymptotic_from ? boost::math::cyl_bessel_i(1, z, QuietPolicy()) /
                                                        boost::math::cyl_bessel_i(0, z, QuietPolicy())
                                                  : scaled_bessel_i(1, z) / scaled_bessel_i(0, z);
  return std::copysign(ratio, x);
}

}  // namespace sgmcmc::special
