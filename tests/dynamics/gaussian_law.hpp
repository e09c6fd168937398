// Compares the variance of a chain with the exact value, on a Gaussian target with coordinates of three precisions.
#pragma once

#include "dynamics/chains.hpp"
#include "dynamics/targets.hpp"
#include "statistics/significance.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace sgmcmc::testing {

inline constexpr double false_alarm_rate = 1e-4;  // of each comparison by worst_z
inline constexpr double precisions[3] = {0.5, 1.0, 2.0};
inline constexpr std::size_t copies = 200;  // coordinates of each precision

inline std::vector<double> precision_of_each() {
  std::vector<double> each;
  for (std::size_t j = 0; j < 3 * copies; ++j) each.push_back(precisions[j % 3]);
  return each;
}

/// Largest |z| over the three precisions of the observed variance against expected(precision).
template <class Expected>
double worst_z(Dynamics& dynamics, double noise_variance, std::uint64_t iterations, Expected&& expected) {
  GaussianTarget target(precision_of_each(), noise_variance);
  const auto variances = time_averages(dynamics, target, target.dimension(), 300, iterations, add_squares);
  double worst = 0.0;
  for (std::size_t k = 0; k < 3; ++k) {
    std::vector<double> replicates;
    for (std::size_t j = k; j < variances.size(); j += 3) replicates.push_back(variances[j]);
    const Estimate found = mean_of_replicates(replicates);
    EXPECT_LT(found.standard_error / found.value, 0.02) << "too little data to mean anything";
    worst = std::max(worst, std::abs(found.z_score(expected(precisions[k]))));
  }
  return worst;
}

inline const double threshold = z_threshold(false_alarm_rate, 3);

}  // namespace sgmcmc::testing
