// Gradients of the marginal posterior of global parameters at draws.
#pragma once

#include "groups/group_model.hpp"
#include "judge/draw_gradients.hpp"

#include <atomic>
#include <vector>

namespace sgmcmc {

/// Like gradients_at(), for the density with the parameters of groups integrated out: positions are points x globals.
GradientsAtDraws marginal_gradients_at(const Model& model, const GroupModel& groups,
                                       const std::vector<double>& positions, const BiasOptions& options,
                                       ThreadPool& pool, const std::atomic<bool>* interrupt = nullptr);

}  // namespace sgmcmc
