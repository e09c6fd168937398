// Printing the summary of draws, with a word on what it shows.
#pragma once

#include "report/summary_table.hpp"
#include "settings/values.hpp"

#include <sgmcmc/diagnose.hpp>
#include <sgmcmc/draws.hpp>
#include <sgmcmc/zero_variance.hpp>

#include <nlohmann/json.hpp>

#include <limits>
#include <span>
#include <string>
#include <vector>

namespace sgmcmc::cli {

/// What is known of draws beside themselves.
struct DrawsFacts {
  double seconds = std::numeric_limits<double>::quiet_NaN();  ///< that they took; NaN: not known
  SamplerReport sampler = {};                                 ///< its warnings are shown
  std::span<const ZeroVarianceEstimate> zero_variance = {};   ///< of the first variables, or nothing
  std::vector<std::string> known_names = {};                  ///< that --only may hold although there are no such draws
  bool verdict_follows = false;                               ///< which says what to do about chains that disagree
  std::vector<std::string> names = {};                        ///< of all variables in their order; none: of the draws
  std::vector<SummaryRow> summarised = {};                    ///< of those that have no draws
};

/// A table, or JSON with --json; only the variables of --only where there are any. about: members that JSON has beside
/// these, such as the verdict; its `warnings` are added to.
void print_summary(const OptionValues& values, const MemoryDraws& draws, const DrawsFacts& facts,
                   nlohmann::ordered_json about = {});

}  // namespace sgmcmc::cli
