// A run of `combine`: from the folders of all parts to draws of the posterior given all rows, with a verdict.
#pragma once

#include "service/parts/part_runs.hpp"
#include "service/record/run_folder.hpp"

#include <sgmcmc/bias.hpp>
#include <sgmcmc/combine.hpp>
#include <sgmcmc/draws.hpp>
#include <sgmcmc/run.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sgmcmc {

struct CombineRun {
  CombineOptions options;
  std::size_t parts = 0, chains = 0, draws_per_chain = 0;
  double acceptance = 0, bandwidth = 0;  ///< NaN for rules without them
  MemoryDraws draws;                     ///< parameters, then outputs
  std::optional<Verdict> verdict;
  std::vector<LeftOut> left_out;
  std::vector<std::string> all_names;
  std::map<std::string, double> shared_error;  ///< by variable, as in SummaryRowsOptions
  double seconds = 0;                          ///< of reading and combining
};

/// Reads the draws of the parts, combines them, computes the outputs of the model, writes files and record if there is
/// a folder, and judges the draws by gradients over all rows. posterior: that given all rows. Throws DataError if
/// coordinates are not identified.
CombineRun run_combine(const OptionValues& values, const PartRuns& parts, const StanPosterior& posterior,
                       RunFolder& folder, const RunHooks& hooks);

/// The advice if draws made by this rule are biased.
std::string remedy_for(CombineMethod method);
/// Options that describe combined draws to the verdict, as if no chain was run.
SampleOptions options_of_combined(std::size_t chains, std::size_t draws, std::uint64_t seed);

}  // namespace sgmcmc
