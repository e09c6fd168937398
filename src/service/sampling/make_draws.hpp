// From complete options to draws: files, the record of the run, and the verdict.
#pragma once

#include "report/summary_table.hpp"
#include "service/record/run_folder.hpp"
#include "service/sampling/kept_names.hpp"
#include "service/sampling/run_sink.hpp"
#include "settings/values.hpp"

#include <sgmcmc/bias.hpp>
#include <sgmcmc/diagnose.hpp>
#include <sgmcmc/run.hpp>
#include <sgmcmc/sample.hpp>

#include <memory>
#include <optional>
#include <string>

namespace sgmcmc {

class RankLeader;

/// What stays the same if draws are made again.
struct DrawsPlan {
  const OptionValues* values = nullptr;
  const RunSettings* settings = nullptr;  ///< converted from these values
  const StanPosterior* posterior = nullptr;
  ChosenOutputs outputs;
  std::string method;
  std::string likelihoods;              ///< variable that log likelihoods are taken from; empty: none
  bool log_density = false;             ///< computed at every draw
  std::uint64_t gradients = 1;          ///< per iteration
  std::optional<double> promised = {};  ///< error expected by tuning
  KeptNames kept;                       ///< whose draws are written; the others are summarised
  RankLeader* ranks = nullptr;          ///< if set, other ranks run chains too
};

struct MadeDraws {
  SampleResult result;
  std::unique_ptr<StanCsvSink> files;
  std::unique_ptr<RunSink> sink;
  SamplerReport sampler;
  std::optional<Verdict> verdict;
  bool in_netcdf = false;  ///< draws.nc also contains all written draws
};

/// Samples into the folder, if there is one, and judges the draws. resumes: continue from the checkpoints there.
MadeDraws make_draws(const DrawsPlan& plan, SampleOptions options, RunFolder& folder, const RunHooks& hooks,
                     bool resumes);

/// Like make_draws(), but repeats the run once with half the step size if tuning predicted a small error, the verdict
/// finds that steps were too large, and the run took at most five minutes. Then updates `options` and the record.
MadeDraws make_draws_as_promised(const DrawsPlan& plan, SampleOptions& options, RunFolder& folder,
                                 const RunHooks& hooks);

/// Summary rows of variables without draws.
std::vector<SummaryRow> summarised_rows(const RunSink& sink);

}  // namespace sgmcmc
