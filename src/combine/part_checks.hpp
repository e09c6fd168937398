// Whether a posterior can be taken apart into subposteriors, and draws of them put together again.
#pragma once

#include "model/log_posterior.hpp"

#include <sgmcmc/subposterior.hpp>

#include <span>
#include <string>
#include <vector>

namespace sgmcmc {

/// Why rows should not be dealt into parts: a clause; empty: nothing is known against it.
std::string why_not_in_parts(const Model& model);

/// Parameters whose prior is proper, but not its power 1/S: far out its density falls too slowly. Looks along single
/// coordinates, of up to 500.
std::vector<std::string> improper_powers(const Model& model, std::uint64_t parts);

/// Why draws of parts cannot be combined coordinate by coordinate: a clause; empty: nothing is known against it.
/// position: a draw, on the unconstrained scale.
std::string why_not_combined(const LogPosterior& posterior, std::span<const double> position);

}  // namespace sgmcmc
