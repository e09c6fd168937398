// Two sets of draws, for a report page that overlays them.
#pragma once

#include "service/compare_draws.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <filesystem>
#include <vector>

namespace sgmcmc {

/// Numbers for all parameters, plots of those that differ most, and distances. differing: the number of parameters that
/// differ by more than Monte Carlo error.
struct PageComparison {
  nlohmann::ordered_json json;
  std::size_t differing = 0;
};
PageComparison compared_json(const Comparison& comparison, const DrawSet& draws, const DrawSet& reference, int threads);

/// [[label, for the draws, for the reference], ...]: method, draws, time, effective sample sizes, verdict.
nlohmann::ordered_json both_runs_json(const DrawSet& draws, const std::filesystem::path& folder,
                                      const DrawSet& reference, const std::filesystem::path& reference_folder,
                                      int threads);

}  // namespace sgmcmc
