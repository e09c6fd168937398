// Nearest-rank quantiles of a few numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace sgmcmc {

/// values: not empty.
inline double nearest_quantile(std::vector<double> values, double share) {
  const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1) + 0.5);
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

}  // namespace sgmcmc
