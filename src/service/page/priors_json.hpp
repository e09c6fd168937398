// Priors beside the densities of draws.
#pragma once

#include "service/page/parameters_json.hpp"
#include "service/page/run_model.hpp"

namespace sgmcmc {

/// Adds to the pictures of parameters their priors, on the scale of the densities of the draws: "p", heights as bytes,
/// and "pq", the quantiles between which 90 % of the prior lie. Parameters without a proper prior are named in
/// "improper". Throws Error where the model's priors cannot be drawn from.
void add_priors(const RunModel& model, PageParameters& parameters);

}  // namespace sgmcmc
