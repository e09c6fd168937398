// Estimates with standard errors, and the threshold a z-score may reach by chance at a declared rate.
#pragma once

#include <boost/math/distributions/normal.hpp>

#include <cmath>
#include <cstddef>
#include <span>

namespace sgmcmc::testing {

struct Estimate {
  double value = 0.0;
  double standard_error = 0.0;

  double z_score(double expected) const { return (value - expected) / standard_error; }
};

/// Mean of independent replicates, with the standard error from their spread.
inline Estimate mean_of_replicates(std::span<const double> replicates) {
  const auto count = static_cast<double>(replicates.size());
  double mean = 0.0;
  for (const double x : replicates) mean += x / count;
  double spread = 0.0;
  for (const double x : replicates) spread += (x - mean) * (x - mean);
  return {mean, std::sqrt(spread / (count - 1.0) / count)};
}

/// weight_a * a + weight_b * b for independent a and b.
inline Estimate combine(double weight_a, const Estimate& a, double weight_b, const Estimate& b) {
  return {weight_a * a.value + weight_b * b.value,
          std::hypot(weight_a * a.standard_error, weight_b * b.standard_error)};
}

/// |z| that a correct program exceeds with probability false_alarm_rate in at least one of `comparisons` (Bonferroni).
inline double z_threshold(double false_alarm_rate, std::size_t comparisons = 1) {
  const double tail = 0.5 * false_alarm_rate / static_cast<double>(comparisons);
  return boost::math::quantile(boost::math::complement(boost::math::normal(), tail));
}

}  // namespace sgmcmc::testing
