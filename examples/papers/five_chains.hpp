// What experiments with several chains of one setting share: a table's mean and spread, and choosing by weight.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <span>
#include <string>
#include <vector>

namespace sgmcmc {

struct MeanAndSd {
  double mean = 0, sd = 0;
  explicit MeanAndSd(const std::vector<double>& values) {
    const auto count = static_cast<double>(values.size());
    for (const double x : values) mean += x / count;
    for (const double x : values) sd += (x - mean) * (x - mean) / (count - 1);
    sd = std::sqrt(sd);
  }
  /// As two cells of a table.
  std::string text(const char* format) const {
    char one[32], two[32];
    std::snprintf(one, sizeof one, format, mean);
    std::snprintf(two, sizeof two, format, sd);
    return std::string(one) + " | " + two;
  }
};

/// Which of them, in proportion to their weights, for a uniform number.
inline std::uint32_t chosen_by_weight(std::span<const double> weights, double uniform) {
  double rest = uniform * std::accumulate(weights.begin(), weights.end(), 0.0);
  std::uint32_t choice = 0;
  while (choice + 1 < weights.size() && (rest -= weights[choice]) >= 0) ++choice;
  return choice;
}

}  // namespace sgmcmc
