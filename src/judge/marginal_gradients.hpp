// Gradients of the marginal posterior of global parameters at draws of them.
#pragma once

#include "groups/group_model.hpp"
#include "judge/draw_gradients.hpp"

#include <atomic>
#include <vector>

namespace sgmcmc {

/// As gradients_at(), of the density with the parameters of groups integrated out: positions are points x globals.
GradientsAtDraws marginal_gradients_at(const Model& model, const GroupModel& groups,
                                       const std::vector<double>& positions, const BiasOptions& options,
                                       ThreadPool& pool, const std::atomic<bool>* interrupt = nullptr);

}  // namespace sgmcmc
