// Parameters that can be exchanged without changing the likelihood: components of a mixture, units of a network,
// factors.
#pragma once

#include "model/log_posterior.hpp"

#include <sgmcmc/bias.hpp>

#include <optional>
#include <span>

namespace sgmcmc {

/// Looks at every size that axes of parameters have. The first two elements along all axes of that size are exchanged,
/// or their signs changed, and the likelihood of some rows is compared at the position (unconstrained).
std::optional<Exchangeable> find_exchangeable(const LogPosterior& posterior, std::span<const double> position);

}  // namespace sgmcmc
