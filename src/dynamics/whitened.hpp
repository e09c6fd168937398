// Any sampler, run in the coordinates of a preconditioner.
#pragma once

#include "dynamics/dynamics.hpp"

#include <sgmcmc/precondition.hpp>

#include <memory>

namespace sgmcmc {

/// Positions, and the points that estimators see, are theta; the sampler within moves u, theta = centre + L u, by
/// gradients L' g. Its step sizes are thus in units of the posterior.
std::unique_ptr<Dynamics> make_whitened(std::unique_ptr<Dynamics> inner,
                                        std::shared_ptr<const Preconditioner> preconditioner);

/// Throws OptionError, saying why, for samplers that are not to be preconditioned, or not by this kind.
void check_whitened(const SamplerOptions& sampler, Precondition kind);

}  // namespace sgmcmc
