// What auto takes for models with hundreds or thousands of coordinates whose gradients over all rows are cheap.
#pragma once

#include <sgmcmc/tuning.hpp>

#include <optional>

namespace sgmcmc {

/// Hamiltonian trajectories in units of the curvature at the mode, where the model has one and is close to normal
/// there. Nothing otherwise, and where full gradients cost too much.
std::optional<Tuned> tune_wide(const Model& model, const SampleOptions& options, const TuneOptions& how,
                               bool chooses_length);

}  // namespace sgmcmc
