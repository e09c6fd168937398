// Detects parameters that can be exchanged without changing the likelihood: components of a mixture, units of a
// network, factors.
#pragma once

#include "model/log_posterior.hpp"

#include <sgmcmc/bias.hpp>

#include <optional>
#include <span>

namespace sgmcmc {

/// For every axis size that occurs in the parameters: exchanges the first two elements along all axes of that size, or
/// changes their signs, and compares the likelihood of some rows at the (unconstrained) position. What these rows show
/// is confirmed on all rows, unequally weighted, so that data on disk are read only if there seems to be a symmetry,
/// and data that happen to be symmetric are not taken for one.
std::optional<Exchangeable> find_exchangeable(const LogPosterior& posterior, std::span<const double> position);

}  // namespace sgmcmc
