// A run of `combine`, from the folders of all parts to judged draws of the posterior given all rows.
#pragma once

#include "service/parts/part_runs.hpp"
#include "service/record/run_folder.hpp"

#include <sgmcmc/bias.hpp>
#include <sgmcmc/combine.hpp>
#include <sgmcmc/draws.hpp>
#include <sgmcmc/run.hpp>

#include <optional>
#include <string>
#include <vector>

namespace sgmcmc {

struct CombineRun {
  CombineOptions options;
  std::size_t parts = 0, chains = 0, draws_per_chain = 0;
  double acceptance = 0, bandwidth = 0;  ///< NaN for rules without
  MemoryDraws draws;                     ///< parameters, then outputs
  std::optional<Verdict> verdict;
  std::vector<LeftOut> left_out;
  std::vector<std::string> all_names;
  double seconds = 0;  ///< of reading and combining
};

/// Reads the draws of the parts, combines them, computes the outputs of the model, writes files and record where there
/// is a folder, and judges the draws by gradients over all rows. posterior: of all rows. Throws DataError where
/// coordinates are not identified.
CombineRun run_combine(const OptionValues& values, const PartRuns& parts, const StanPosterior& posterior,
                       RunFolder& folder, const RunHooks& hooks);

/// What to do about draws of a rule that are off.
std::string remedy_for(CombineMethod method);
/// As draws of this kind are judged: nothing was sampled.
SampleOptions options_of_combined(std::size_t chains, std::size_t draws, std::uint64_t seed);

}  // namespace sgmcmc
