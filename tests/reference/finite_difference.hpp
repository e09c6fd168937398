// Central finite differences, extrapolated to step zero: derivatives from function values only.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

namespace sgmcmc::reference {

/// Derivatives of every output of `function` with respect to every parameter, [outputs][parameters] flat. Steps shrink
/// by thirds; each pair of estimates is extrapolated to cancel one more power of the step (Richardson), and the
/// estimate that changed least in its extrapolation is returned. Skips steps that leave the domain (non-finite values).
inline std::vector<double> finite_differences(
    const std::function<std::vector<double>(const std::vector<double>&)>& function, const std::vector<double>& at) {
  constexpr int levels = 9;
  const std::size_t size = at.size();
  std::vector<double> result;
  for (std::size_t j = 0; j < size; ++j) {
    std::vector<std::vector<double>> quotients;
    double step = 0.04 * std::max(0.25, std::abs(at[j]));
    for (int level = 0; level < levels; ++level, step /= 3) {
      auto above = at, below = at;
      above[j] += step;
      below[j] -= step;
      auto values = function(above);
      const auto lower = function(below);
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = (values[i] - lower[i]) / (above[j] - below[j]);
      quotients.push_back(std::move(values));
    }
    const std::size_t outputs = quotients.front().size();
    result.resize(outputs * size);
    for (std::size_t output = 0; output < outputs; ++output) {
      double best = std::numeric_limits<double>::quiet_NaN();
      double best_error = std::numeric_limits<double>::infinity();
      std::vector<double> previous;
      for (const auto& level : quotients) {
        if (!std::isfinite(level[output])) {
          previous.clear();
          continue;
        }
        std::vector<double> row{level[output]};
        double factor = 1;
        for (std::size_t k = 0; k < previous.size(); ++k) {
          factor *= 9;
          row.push_back(row[k] + (row[k] - previous[k]) / (factor - 1));
          const double error = std::max(std::abs(row[k + 1] - row[k]), std::abs(row[k + 1] - previous[k]));
          if (error < best_error) {
            best_error = error;
            best = row[k + 1];
          }
        }
        previous = std::move(row);
      }
      result[output * size + j] = best;
    }
  }
  return result;
}

}  // namespace sgmcmc::reference
