// Decides whether to repeat a run with smaller steps, because its error is larger than tuning predicted.
#pragma once

#include <sgmcmc/run.hpp>

#include <optional>
#include <string>

namespace sgmcmc {

/// The error of the run predicted by tuning, in posterior standard deviations; empty if there is no prediction.
std::optional<double> promised_error(const TuningReport& tuning);

struct Repetition {
  std::string text;              ///< message for the user; empty: no repetition is needed
  std::optional<StepSize> step;  ///< for the repetition; empty if the run took too long to be repeated
};
/// If tuning predicted a small error and the verdict finds that steps were too large: halves the step, for runs of at
/// most five minutes.
Repetition repetition_of(const SampleOptions& options, const SampleResult& result,
                         const std::optional<Verdict>& verdict, std::optional<double> promised,
                         const RunSettings& settings);

}  // namespace sgmcmc
