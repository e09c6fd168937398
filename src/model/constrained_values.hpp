// Parameters on the constrained scale, at a point of the unconstrained one.
#pragma once

#include "model/log_posterior.hpp"

#include <span>
#include <vector>

namespace sgmcmc {

/// In the order of Model::constrained_names(). Compiles a program at each call: for single points.
std::vector<double> constrained_values(const LogPosterior& posterior, std::span<const double> theta);

}  // namespace sgmcmc
