// Metropolis steps with proposals from the normal approximation of the marginal posterior.
#pragma once

#include "dynamics/dynamics.hpp"
#include "groups/group_target.hpp"

#include <memory>

namespace sgmcmc {

/// A sampler of phi only. Its estimator must provide log densities.
std::unique_ptr<Dynamics> make_normal_proposals(const GroupTarget& target);

/// Estimates the acceptance rate of independent proposals from a few draws of the normal approximation.
double acceptance_of_normal(const GroupTarget& target, ThreadPool* pool, std::uint64_t seed);

}  // namespace sgmcmc
