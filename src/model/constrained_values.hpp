// Maps a point on the unconstrained scale to constrained parameter values.
#pragma once

#include "model/log_posterior.hpp"

#include <span>
#include <vector>

namespace sgmcmc {

/// Values in the order of Model::constrained_names(). Each call compiles a program, so use this for single points only.
std::vector<double> constrained_values(const LogPosterior& posterior, std::span<const double> theta);

}  // namespace sgmcmc
