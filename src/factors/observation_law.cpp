// Laws of ratings in closed form, and the table of the stable law.
#include "factors/observation_law.hpp"

#include "base/log_gamma.hpp"
#include "base/normal_cdf.hpp"
#include "base/special_functions.hpp"
#include "base/text.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace sgmcmc {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double series_begin = 9.0;
constexpr double table_begin = -8.0, table_end = 40.0, table_step = 0.1;  // of log t

double log_probit(double x) {
  if (x > -30) return std::log(normal_cdf(x));
  return -0.5 * x * x - std::log(-x) - 0.5 * std::log(2 * std::numbers::pi) + std::log1p(-1 / (x * x));
}

/// Integers of at least `least` in increasing order: the first at which `reaches` holds.
template <class Reaches>
double first_integer(double least, const Reaches& reaches) {
  double high = std::max(1.0, 2 * least), low = least - 1;
  while (!reaches(high) && high < 1e15) {
    low = high;
    high *= 2;
  }
  while (high - low > 1) {
    const double middle = std::floor(0.5 * (low + high));
    (reaches(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace

/// Kanter, "Stable densities under change of scale and total variation inequalities", 1975: with a = alpha / 2, U
/// uniform on (0, pi) and W exponential, F = 2 / (c(U) W^b), b = (1 - a) / a. Sums over U and log W by the trapezoidal
/// rule, in coordinates in which the integrand vanishes at the ends. For large t the series h(t) = sum_n c_n (t/4)^(-n
/// a) with c_n = (-1)^(n + 1) Gamma(n a + 1) Gamma(n a) sin(pi n a) / (pi n!).
StableTable::StableTable(double alpha) {
  const double a = 0.5 * alpha, b = (1 - a) / a;
  struct Node {
    double weight = 0, rate = 0;  // exp(-t rate), rate = 1 / (2 F)
  };
  std::vector<Node> nodes;
  constexpr double u_step = 0.0625, w_step = 0.125;
  for (double y = -4.0; y <= 4.0; y += u_step) {
    const double inner = 0.5 * std::numbers::pi * std::sinh(y), cosh = std::cosh(inner);
    const double from_zero = std::exp(inner) / (2 * cosh), from_one = std::exp(-inner) / (2 * cosh);
    const double u_weight = u_step * 0.25 * std::numbers::pi * std::cosh(y) / (cosh * cosh);
    if (!(u_weight > 1e-30)) continue;
    const double u = std::numbers::pi * from_zero;
    const double sine = from_one < 0.5 ? std::sin(std::numbers::pi * from_one) : std::sin(u);
    const double log_c = std::log(sine) / a - std::log(std::sin(a * u)) - b * std::log(std::sin((1 - a) * u));
    for (double s = -48.0; s <= 4.5; s += w_step) {
      const double w = std::exp(s), weight = w_step * w * std::exp(-w) * u_weight;
      if (weight > 1e-21) nodes.push_back({weight, 0.25 * std::exp(log_c + b * s)});
    }
  }
  for (double log_t = table_begin; log_t <= table_end + 0.5 * table_step; log_t += table_step) {
    const double t = std::exp(log_t);
    if (log_t > series_begin) {
      double sum = 0, once = 0, twice = 0, last = infinite;
      for (int n = 1; n <= 30; ++n) {
        const double power = n * a;
        const double size =
            std::exp(log_gamma(power + 1) + log_gamma(power) - log_gamma(n + 1.0) - power * std::log(0.25 * t));
        if (size > last) break;  // the series may be asymptotic only
        const double term = (n % 2 == 1 ? 1 : -1) * size * std::sin(std::numbers::pi * power) / std::numbers::pi;
        last = size;
        sum += term;
        once += power * term;
        twice += power * power * term;
      }
      density_.push_back({std::log(2 * once / t), -1 - twice / once});
      tail_.push_back({std::log(sum), -once / sum});
      continue;
    }
    std::array<double, 3> sums{};  // E rate^n exp(-t rate)
    for (const Node& node : nodes) {
      const double exponent = t * node.rate;
      if (exponent > 700) continue;
      const double term = node.weight * std::exp(-exponent);
      sums[0] += term;
      sums[1] += term * node.rate;
      sums[2] += term * node.rate * node.rate;
    }
    density_.push_back({std::log(2 * sums[1]), -t * sums[2] / sums[1]});
    tail_.push_back({std::log(sums[0]), -t * sums[1] / sums[0]});
  }
}

StableTable::Value StableTable::value(const std::vector<Value>& table, double log_t) const {
  const double place = (log_t - table_begin) / table_step;
  if (!(place > 0)) {  // a straight line in t
    const double slope = table.front().slope * std::exp(log_t - table_begin);
    return {table.front().log - table.front().slope + slope, slope};
  }
  if (place >= static_cast<double>(table.size() - 1)) {
    const Value& last = table.back();
    return {last.log + last.slope * (log_t - table_begin - table_step * static_cast<double>(table.size() - 1)),
            last.slope};
  }
  const auto i = static_cast<std::size_t>(place);
  const double x = place - static_cast<double>(i);
  const Value &p = table[i], &q = table[i + 1];
  const double rise = q.log - p.log, left = p.slope * table_step, right = q.slope * table_step;
  const double cubic = left + right - 2 * rise, square = 3 * rise - 2 * left - right;
  return {p.log + x * (left + x * (square + x * cubic)), (left + x * (2 * square + 3 * x * cubic)) / table_step};
}

ObservationLaw::ObservationLaw(Observations kind, double alpha) : kind_(kind), alpha_(alpha) {
  if (kind != Observations::stable) return;
  table_ = std::make_shared<const StableTable>(alpha);
  unit_mean_ = alpha > 1 ? std::tgamma(1 - 1 / alpha) : infinite;
}

double ObservationLaw::mean(double x) const {
  switch (kind_) {
    case Observations::bernoulli: return normal_cdf(x);
    case Observations::stable: return unit_mean_ * std::pow(x, 1 / alpha_);
    default: return x;
  }
}

double ObservationLaw::log_likelihood(double log_rating, double x) const {
  if (!(x > 0)) return -infinite;
  const double twice_log_scale = 2 / alpha_ * std::log(x);
  return table_->density(2 * log_rating - twice_log_scale).log - twice_log_scale;
}

double ObservationLaw::slope(double rating, double x) const {
  if (kind_ == Observations::poisson) return rating / x - 1;
  const double power = 2 / alpha_;
  return -power * (table_->density(2 * std::log(rating) - power * std::log(x)).slope + 1) / x;
}

double ObservationLaw::information(double x) const {
  return kind_ == Observations::poisson ? 1 / x : 4 / (alpha_ * alpha_ * x * x);
}

double ObservationLaw::log_density(double rating, double x) const {
  switch (kind_) {
    case Observations::poisson:
      return x > 0 ? rating * std::log(x) - x - log_gamma(rating + 1) : (rating == 0 ? 0.0 : -infinite);
    case Observations::bernoulli: return log_probit(rating == 1 ? x : -x);
    default: return std::log(rating) + log_likelihood(std::log(rating), x);
  }
}

double ObservationLaw::below(double rating, double x) const { return below(rating, Uncertain{x, 0}); }

double ObservationLaw::mean(const Uncertain& x) const {
  return mean(kind_ == Observations::bernoulli ? x.mean / std::sqrt(1 + x.variance) : x.mean);
}

double ObservationLaw::variance(const Uncertain& x) const {
  switch (kind_) {
    case Observations::poisson: return x.mean + x.variance;
    case Observations::bernoulli: return mean(x) * (1 - mean(x));
    default: return infinite;
  }
}

double ObservationLaw::below(double rating, const Uncertain& x) const {
  if (rating < 0) return 0;
  switch (kind_) {
    case Observations::poisson: {
      if (!(x.mean > 0)) return 1;
      // A gamma distributed mean makes the count negative binomial.
      const double shape = x.mean * x.mean / x.variance;
      if (!(shape < 1e8)) return std::exp(special::log_gamma_q(rating + 1, x.mean));
      return std::exp(special::log_inc_beta(shape, rating + 1, shape / (shape + x.mean)));
    }
    case Observations::bernoulli: return rating >= 1 ? 1.0 : 1 - mean(x);
    default:
      if (!(rating > 0)) return 0;
      return -std::expm1(table_->tail(2 * std::log(rating) - 2 / alpha_ * std::log(x.mean)).log);
  }
}

double ObservationLaw::quantile(std::span<const Uncertain> parts, double probability) const {
  const auto reaches = [&](double rating) {
    double sum = 0;
    for (const Uncertain& part : parts) sum += below(rating, part);
    return sum >= probability * static_cast<double>(parts.size());
  };
  if (kind_ == Observations::bernoulli) return reaches(0) ? 0 : 1;
  if (kind_ == Observations::poisson) return first_integer(0, reaches);
  double low = -20, high = 20;  // of log2
  while (reaches(std::exp2(low)) && low > -900) low -= 20;
  while (!reaches(std::exp2(high)) && high < 900) high += 20;
  while (high - low > 1e-6) {
    const double middle = 0.5 * (low + high);
    (reaches(std::exp2(middle)) ? high : low) = middle;
  }
  return std::exp2(high);
}

std::string rating_complaint(Observations kind, float rating) {
  constexpr float largest_count = 16777216;  // counts above it are rounded
  const std::string found = "'" + formatted("%g", static_cast<double>(rating)) + "'";
  switch (kind) {
    case Observations::gaussian: return "";
    case Observations::poisson:
      if (!(rating >= 0) || rating != std::floor(rating))
        return found + "; poisson observations are the counts 0, 1, 2, ...";
      return rating <= largest_count ? "" : found + "; counts of poisson observations may be up to 16777216";
    case Observations::bernoulli:
      return rating == 0 || rating == 1 ? "" : found + "; bernoulli observations are 0 or 1";
    case Observations::stable: return rating > 0 ? "" : found + "; stable observations are moduli above 0";
  }
  return "";
}

}  // namespace sgmcmc
