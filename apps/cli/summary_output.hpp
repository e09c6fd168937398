// Prints the summary of draws, with warnings about it.
#pragma once

#include "report/summary_table.hpp"
#include "settings/values.hpp"

#include <sgmcmc/diagnose.hpp>
#include <sgmcmc/draws.hpp>
#include <sgmcmc/zero_variance.hpp>

#include <nlohmann/json.hpp>

#include <limits>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace sgmcmc::cli {

/// Further facts about draws.
struct DrawsFacts {
  double seconds = std::numeric_limits<double>::quiet_NaN();  ///< sampling time; NaN: unknown
  SamplerReport sampler = {};                                 ///< its warnings are printed
  std::span<const ZeroVarianceEstimate> zero_variance = {};   ///< for the first variables; may be empty
  std::vector<std::string> known_names = {};                  ///< names valid in --only although they have no draws
  bool verdict_follows = false;                               ///< then the advice on chains that disagree is omitted
  std::vector<std::string> names = {};                        ///< all variables in order; empty: those of the draws
  std::vector<SummaryRow> summarised = {};                    ///< variables without draws
  std::map<std::string, double> shared_error = {};            ///< of a combination, as in SummaryRowsOptions
};

/// Prints a table, or JSON with --json, of all variables or those in --only. `about`: further JSON members, such as the
/// verdict; warnings are appended to its `warnings`.
void print_summary(const OptionValues& values, const MemoryDraws& draws, const DrawsFacts& facts,
                   nlohmann::ordered_json about = {});

}  // namespace sgmcmc::cli
