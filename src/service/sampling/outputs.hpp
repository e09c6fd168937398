// Which transformed parameters and generated quantities are kept at each draw.
#pragma once

#include "stan/binding/model_file.hpp"

#include <sgmcmc/run.hpp>

#include <string>
#include <vector>

namespace sgmcmc {

struct ChosenOutputs {
  std::vector<std::string> names;      ///< of their elements
  std::vector<std::size_t> positions;  ///< of these among all that the model evaluates
  std::vector<std::string> left_out;   ///< variables that are not kept
};
/// needed: the name of one that is kept in any case; or empty.
ChosenOutputs choose_outputs(const stan::BoundModel& bound, KeptOutputs choice, const std::string& needed = "");

/// On data without rows, or with a single one; empty where there are more.
std::string words_on_few_rows(const stan::BoundModel& bound);

/// Whether lp__ is computed at every draw. Decided by counts, never by the clock: a run repeats exactly.
bool log_density_wanted(LogDensityAtDraws choice, const SampleOptions& options, const Model& model,
                        std::uint64_t gradients_per_iteration);

}  // namespace sgmcmc
