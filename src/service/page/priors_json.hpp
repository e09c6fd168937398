// Adds priors to the densities of draws.
#pragma once

#include "service/page/parameters_json.hpp"
#include "service/page/run_model.hpp"

namespace sgmcmc {

/// Adds the priors of parameters to their plots, on the scale of the densities of the draws: "p", heights as bytes, and
/// "pq", the quantiles that enclose 90 % of the prior. Lists parameters without a proper prior in "improper". Throws
/// Error if the model's priors cannot be simulated.
void add_priors(const RunModel& model, PageParameters& parameters);

}  // namespace sgmcmc
