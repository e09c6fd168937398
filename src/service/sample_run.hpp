// A run of `sample`: from options and a posterior to draws with a verdict, and output files.
#pragma once

#include "report/summary_table.hpp"
#include "service/record/run_folder.hpp"
#include "settings/values.hpp"

#include <sgmcmc/bias.hpp>
#include <sgmcmc/diagnose.hpp>
#include <sgmcmc/draws.hpp>
#include <sgmcmc/run.hpp>

#include <optional>
#include <string>
#include <vector>

namespace sgmcmc {

class RankLeader;

struct SampleRun {
  SampleOptions options;  ///< the options used
  std::string method;
  std::int64_t rows = 0;             ///< of the posterior that was sampled
  std::optional<Subposterior> part;  ///< part of the rows that was sampled; empty: all rows
  double tuning_seconds = 0;
  bool interrupted_in_tuning = false;  ///< nothing below is set

  SampleResult result;  ///< holds no draws
  SamplerReport sampler;
  std::optional<Verdict> verdict;
  MemoryDraws draws;       ///< parameters, then outputs, those that are written; every number is finite
  MemoryDraws statistics;  ///< of the sampler: lp__, stepsize__, or what an exact one records
  bool any_draw = false;
  std::vector<std::string> names;      ///< of parameters and outputs that were drawn, written or summarised
  std::vector<SummaryRow> summarised;  ///< those whose draws are not written
  std::vector<LeftOut> left_out;       ///< variables that are non-finite at some draw
  std::vector<std::string> all_names;  ///< all parameters and outputs, drawn or not
  bool writes_all = true;              ///< draws of all variables are written
  bool writes_all_parameters = true;
};

/// Tunes the options that were left open, samples, writes files and record if there is a folder, and judges the draws.
/// Throws UsageError if the options do not suit the model. ranks: if set, other ranks run chains too.
SampleRun run_sample(const OptionValues& values, const StanPosterior& posterior, RunFolder& folder,
                     const RunHooks& hooks, RankLeader* ranks = nullptr);

}  // namespace sgmcmc
