// Geweke's test: kernels that leave the joint distribution of a state invariant do not change the mean of any function
// of it.
#pragma once

#include "statistics/significance.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sgmcmc::testing {

/// The largest z-score of differences between after and before, over all functions. values_of_replicate(r) gives the
/// values of the functions at a state from the model, and at the state that kernels have made of it.
template <std::size_t functions, class ValuesOfReplicate>
double worst_change(std::size_t replicates, ValuesOfReplicate&& values_of_replicate) {
  std::array<std::vector<double>, functions> differences;
  for (std::uint64_t r = 0; r < replicates; ++r) {
    const auto [before, after] = values_of_replicate(r);
    for (std::size_t f = 0; f < functions; ++f) differences[f].push_back(after[f] - before[f]);
  }
  double worst = 0;
  for (const auto& each : differences) worst = std::max(worst, std::abs(mean_of_replicates(each).z_score(0.0)));
  return worst;
}

}  // namespace sgmcmc::testing
