// Chooses the transformed parameters and generated quantities to keep at each draw.
#pragma once

#include "stan/binding/model_file.hpp"

#include <sgmcmc/run.hpp>

#include <string>
#include <vector>

namespace sgmcmc {

struct ChosenOutputs {
  std::vector<std::string> names;      ///< of their elements
  std::vector<std::size_t> positions;  ///< positions of these elements among all outputs of the model
  std::vector<std::string> left_out;   ///< variables that are not kept
};
/// needed: the name of an output that is always kept; may be empty.
ChosenOutputs choose_outputs(const stan::BoundModel& bound, KeptOutputs choice, const std::string& needed = "");

/// A sentence about data with no rows or one; empty if there are more.
std::string words_on_few_rows(const stan::BoundModel& bound);

/// Whether to compute lp__ at every draw. Decided by counts, never by the clock, so that runs are reproducible.
bool log_density_wanted(LogDensityAtDraws choice, const SampleOptions& options, const Model& model,
                        std::uint64_t gradients_per_iteration);

}  // namespace sgmcmc
