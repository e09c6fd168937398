// What auto takes for models with hundreds or thousands of coordinates whose gradients over all rows are cheap.
#pragma once

#include <sgmcmc/tuning.hpp>

#include <cstdint>
#include <optional>

namespace sgmcmc {

/// How much a run may take: a minute or two; or, where nothing else can be trusted, a quarter of an hour for fewer
/// draws.
enum class WideEffort : std::uint8_t { usual, patient };

/// Hamiltonian trajectories in units of the curvature at the mode, where the model has one and is close to normal
/// there. Nothing otherwise, and where full gradients cost too much.
std::optional<Tuned> tune_wide(const Model& model, const SampleOptions& options, const TuneOptions& how,
                               bool chooses_length, WideEffort effort = WideEffort::usual);

}  // namespace sgmcmc
