// Basic random number generators, from uniform numbers.
#include "stan/builtins/draw.hpp"

#include "base/special_functions.hpp"

#include <cmath>
#include <numbers>

namespace sgmcmc::stan::draw {

double normal(UniformSource& uniform) { return special::inv_phi(uniform.next()); }

double exponential(UniformSource& uniform) { return -std::log(uniform.next()); }

double log_gamma(UniformSource& uniform, double shape) {
  // Marsaglia and Tsang (2000): squeeze around a cubed normal; below 1 a gamma of shape + 1 times u^(1 / shape).
  const double raised = shape < 1 ? shape + 1 : shape;
  const double d = raised - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = normal(uniform);
    const double v = std::pow(1 + c * x, 3);
    if (v <= 0) continue;
    if (std::log(uniform.next()) >= 0.5 * x * x + d - d * v + d * std::log(v)) continue;
    const double logarithm = std::log(d * v);
    return shape < 1 ? logarithm + std::log(uniform.next()) / shape : logarithm;
  }
}

double gamma(UniformSource& uniform, double shape) { return std::exp(log_gamma(uniform, shape)); }

double beta(UniformSource& uniform, double a, double b) {
  const double x = log_gamma(uniform, a), y = log_gamma(uniform, b);
  return 1 / (1 + std::exp(y - x));
}

double student_t(UniformSource& uniform, double degrees) {
  const double z = normal(uniform);
  if (std::isinf(degrees)) return z;
  return z / std::sqrt(gamma(uniform, 0.5 * degrees) / (0.5 * degrees));
}

double binomial(UniformSource& uniform, double trials, double probability) {
  // The median of the uniform numbers of the trials is a beta variate, which halves the remaining trials.
  double successes = 0;
  while (trials > 15) {
    const double middle = std::floor(0.5 * (trials + 1));
    const double at = beta(uniform, middle, trials + 1 - middle);
    if (at <= probability) {
      successes += middle;
      trials -= middle;
      probability = at < 1 ? (probability - at) / (1 - at) : 0;
    } else {
      trials = middle - 1;
      probability /= at;
    }
  }
  for (double k = 0; k < trials; ++k) successes += uniform.next() <= probability;
  return successes;
}

double poisson(UniformSource& uniform, double mean) {
  // The time of event m is a gamma variate: if it is before the end, count m events and continue; else the m - 1
  // earlier events are uniform before it.
  double events = 0;
  while (mean > 20) {
    const double m = std::floor(0.875 * mean);
    const double time = gamma(uniform, m);
    if (time > mean) return events + binomial(uniform, m - 1, mean / time);
    events += m;
    mean -= time;
  }
  double left = std::exp(-mean);
  for (double product = uniform.next(); product > left; product *= uniform.next()) ++events;
  return events;
}

double von_mises(UniformSource& uniform, double concentration) {
  // Best and Fisher (1979): rejection from a wrapped Cauchy.
  const double tau = 1 + std::sqrt(1 + 4 * concentration * concentration);
  const double rho = (tau - std::sqrt(2 * tau)) / (2 * concentration);
  const double r = (1 + rho * rho) / (2 * rho);
  if (!std::isfinite(r)) return std::numbers::pi * (2 * uniform.next() - 1);  // negligible concentration
  for (;;) {
    const double z = std::cos(std::numbers::pi * uniform.next());
    const double f = (1 + r * z) / (r + z), c = concentration * (r - f), u = uniform.next();
    const double sign = uniform.next() < 0.5 ? -1 : 1;
    if (c * (2 - c) > u || std::log(c / u) + 1 >= c) return sign * std::acos(f);
  }
}

std::size_t category(UniformSource& uniform, std::span<const double> weights) {
  double total = 0;
  for (const double weight : weights) total += weight;
  double at = uniform.next() * total;
  std::size_t last = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    if (weights[k] > 0) last = k;
    if (at < weights[k]) return k;
    at -= weights[k];
  }
  return last;
}

}  // namespace sgmcmc::stan::draw
