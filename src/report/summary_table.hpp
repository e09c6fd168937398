// The summary of draws: a table for a terminal, and JSON for programs.
#pragma once

#include <sgmcmc/diagnose.hpp>
#include <sgmcmc/draws.hpp>
#include <sgmcmc/zero_variance.hpp>

#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sgmcmc {

struct SummaryRow {
  std::string name;
  QuantitySummary summary;
  std::optional<QuantityDetails> details = {};
  std::optional<ZeroVarianceEstimate> zero_variance = {};
  /// Seconds per independent draw: the integrated autocorrelation time times the seconds per draw.
  double autocorrelation_time_per_computation = std::numeric_limits<double>::quiet_NaN();
};

struct SummaryRowsOptions {
  int threads = 0;                                            ///< 0: all
  bool details = false;                                       ///< also compute QuantityDetails; doubles the time
  double seconds = std::numeric_limits<double>::quiet_NaN();  ///< sampling time, if known
  std::optional<std::vector<std::size_t>> parameters = {};    ///< columns to summarise, in this order; not set: all
  /// By variable: the variance of an error that all draws share, and that they cannot show, relative to the variance of
  /// the variable. It is added to Monte Carlo errors, and taken off effective sample sizes.
  std::map<std::string, double> shared_error = {};
};

/// One row per parameter.
std::vector<SummaryRow> summary_rows(const MemoryDraws& draws, const SummaryRowsOptions& options = {});
/// One row for each chosen name, from the draws or from the summaries of variables without draws. names: all variables
/// in order; empty: those of the draws.
std::vector<SummaryRow> merged_summary_rows(const MemoryDraws& draws, const std::vector<std::string>& names,
                                            const std::vector<SummaryRow>& summarised,
                                            const std::vector<std::size_t>& chosen, SummaryRowsOptions how);

/// The keys of all columns that a table can have: mean, mcse_mean, sd, q5, ..., iat, atuc.
std::vector<std::string> summary_column_names();
/// mean, mcse_mean, sd, q5, q50, q95, ess_bulk, ess_tail, rhat.
std::vector<std::string> usual_summary_columns();
bool summary_column_needs_details(const std::string& column);
/// mean_zv, mcse_zv, gain_zv: for rows with zero_variance, which cannot be computed from draws alone.
std::vector<std::string> zero_variance_columns();

struct SummaryTableOptions {
  std::size_t width = 80;      ///< columns of the terminal; numbers lose digits before lines exceed it
  std::size_t most_rows = 60;  ///< if there are more, shows scalars and the rows with the largest R-hat; 0: all
  std::vector<std::string> columns = {};  ///< keys, in order; empty: the usual columns. Unknown keys throw OptionError
  std::string how_to_see_all = {};        ///< shown if rows are omitted
};

/// Rounds each mean to the digits that its Monte Carlo error leaves certain.
std::string summary_table(const std::vector<SummaryRow>& rows, const SummaryTableOptions& options = {});

/// {"parameters": [{"name": "beta[1]", "mean": ..., "sd": ..., "mcse_mean": ..., "q5": ..., "q50": ..., "q95": ...,
/// "ess_bulk": ..., "ess_tail": ..., "rhat": ...}, ...]}; with details also "mcse_sd", "mcse_q5", "mcse_q50",
/// "mcse_q95", "ess_mean", "ess_sd", "iat", "atuc"; with zero_variance "mean_zv", "mcse_zv", "gain_zv"; non-finite
/// numbers are null. With the statistics of an exact sampler also "sampler": {"draws": ..., "divergences": ...,
/// "at_max_tree_depth": ..., "ebfmi": [...]}.
std::string summary_json(const std::vector<SummaryRow>& rows, const SamplerReport& sampler = {});

}  // namespace sgmcmc
