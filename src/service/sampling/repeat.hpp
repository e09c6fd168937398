// Whether a run is made once more with smaller steps, because tuning had promised smaller errors than it has.
#pragma once

#include <sgmcmc/run.hpp>

#include <optional>
#include <string>

namespace sgmcmc {

/// The error that tuning expected of the run, in posterior standard deviations; nothing where it did not say.
std::optional<double> promised_error(const TuningReport& tuning);

struct Repetition {
  std::string text;              ///< what to tell the user; empty: the promise was kept
  std::optional<StepSize> step;  ///< of the repetition; none where the run took too long to be made again
};
/// Where small errors were promised and the verdict finds steps too large: half the step, for runs of at most five
/// minutes.
Repetition repetition_of(const SampleOptions& options, const SampleResult& result,
                         const std::optional<Verdict>& verdict, std::optional<double> promised,
                         const RunSettings& settings);

}  // namespace sgmcmc
