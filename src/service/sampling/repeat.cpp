// Compares the verdict with the prediction of tuning.
#include "service/sampling/repeat.hpp"

#include "base/text.hpp"

#include <cmath>

namespace sgmcmc {
namespace {

constexpr double most_seconds_to_repeat = 300;
constexpr double small_error = 0.2;  // posterior standard deviations

}  // namespace

std::optional<double> promised_error(const TuningReport& tuning) {
  for (const auto& candidate : tuning.candidates)
    if (candidate.chosen && std::isfinite(candidate.score)) return candidate.score;
  return std::nullopt;
}

Repetition repetition_of(const SampleOptions& options, const SampleResult& result,
                         const std::optional<Verdict>& verdict, std::optional<double> promised,
                         const RunSettings& settings) {
  const StepSize* step = step_size_of(options.sampler);
  if (!promised || *promised > small_error || !step || !verdict || !verdict->smaller_step) return {};
  const std::string broken =
      "tuning expected an error of " + formatted("%.2f", *promised) + " posterior sds, and steps were still too large";
  if (result.seconds > most_seconds_to_repeat)
    return {broken + ": run again with " + settings.written("step_size") + " set to half of it", std::nullopt};
  StepSize half = *step;
  for (double& value : half.values) value /= 2;
  return {broken + ": the run is made once more, with half the step", half};
}

}  // namespace sgmcmc
