// Runs any sampler in preconditioned coordinates.
#pragma once

#include "dynamics/dynamics.hpp"

#include <sgmcmc/precondition.hpp>

#include <memory>

namespace sgmcmc {

/// Positions, and the points given to estimators, are theta; the inner sampler moves u, theta = centre + L u, by
/// gradients L' g. Its step sizes are thus relative to the posterior.
std::unique_ptr<Dynamics> make_whitened(std::unique_ptr<Dynamics> inner,
                                        std::shared_ptr<const Preconditioner> preconditioner);

/// Throws OptionError with the reason for samplers that cannot use this preconditioner.
void check_whitened(const SamplerOptions& sampler, Precondition kind);

}  // namespace sgmcmc
