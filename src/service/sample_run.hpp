// A run of `sample`, from its options and a posterior to judged draws and the files of its folder.
#pragma once

#include "service/make_draws.hpp"

#include <string>
#include <vector>

namespace sgmcmc {

struct SampleRun {
  SampleOptions options;  ///< as they were used
  std::string method;
  MadeDraws made;                      ///< without a sink where the run was interrupted while tuning
  std::vector<std::string> all_names;  ///< of parameters and outputs, whether or not they are drawn
  bool keeps_all = true;               ///< draws of all of them are written
  double tuning_seconds = 0;

  bool interrupted_in_tuning() const { return !made.sink; }
};

/// Tunes what was left open, samples, writes files and record where there is a folder, and judges the draws. Throws
/// UsageError where options and model do not fit.
SampleRun run_sample(const OptionValues& values, const StanPosterior& posterior, RunFolder& folder,
                     const RunHooks& hooks);

}  // namespace sgmcmc
