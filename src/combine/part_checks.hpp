// Whether a posterior can be divided into subposteriors, and whether their draws can be combined.
#pragma once

#include "model/log_posterior.hpp"

#include <sgmcmc/subposterior.hpp>

#include <span>
#include <string>
#include <vector>

namespace sgmcmc {

/// Why the rows should not be divided into parts, as a clause; empty if no reason is known.
std::string why_not_in_parts(const Model& model);

/// Parameters whose prior is proper but improper when raised to the power 1/S, because its tails are too heavy. Checks
/// single coordinates, up to 500 of them.
std::vector<std::string> improper_powers(const Model& model, std::uint64_t parts);

/// Why draws of parts cannot be combined coordinate by coordinate, as a clause; empty if no reason is known. position:
/// a draw, on the unconstrained scale.
std::string why_not_combined(const LogPosterior& posterior, std::span<const double> position);

}  // namespace sgmcmc
