// The summary of draws: a table for a terminal, and JSON for programs.
#pragma once

#include <sgmcmc/diagnose.hpp>
#include <sgmcmc/draws.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace sgmcmc {

struct SummaryRow {
  std::string name;
  QuantitySummary summary;
};

/// One row per parameter, in their order; `threads` at once (0: all there are).
std::vector<SummaryRow> summary_rows(const MemoryDraws& draws, int threads = 0);

struct SummaryTableOptions {
  std::size_t width = 80;      ///< columns of the terminal; numbers lose digits before lines grow longer
  std::size_t most_rows = 60;  ///< the first ones are shown, then how many were left out; 0: all
};

/// Name, mean, mcse, sd, 5%, 50%, 95%, ess_bulk, ess_tail, rhat. A mean has the digits that its mcse leaves certain.
std::string summary_table(const std::vector<SummaryRow>& rows, const SummaryTableOptions& options = {});

/// {"parameters": [{"name": "beta[1]", "mean": ..., "sd": ..., "mcse_mean": ..., "q5": ..., "q50": ..., "q95": ...,
/// "ess_bulk": ..., "ess_tail": ..., "rhat": ...}, ...]}; a number that is not finite is null. With statistics of an
/// exact sampler also "sampler": {"draws": ..., "divergences": ..., "at_max_tree_depth": ..., "ebfmi": [...]}.
std::string summary_json(const std::vector<SummaryRow>& rows, const SamplerReport& sampler = {});

}  // namespace sgmcmc
