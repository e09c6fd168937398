// Chooses the method for models with hundreds or thousands of coordinates and cheap gradients over all rows.
#pragma once

#include <sgmcmc/tuning.hpp>

#include <cstdint>
#include <optional>

namespace sgmcmc {

/// Time limit of a run: a minute or two; patient: a quarter of an hour for fewer draws, if no other method is accurate.
enum class WideEffort : std::uint8_t { usual, patient };

/// hmc preconditioned by the Hessian at the mode. Empty if there is no usable mode, if the posterior is far from normal
/// there, or if full gradients cost too much.
std::optional<Tuned> tune_wide(const Model& model, const SampleOptions& options, const TuneOptions& how,
                               bool chooses_length, WideEffort effort = WideEffort::usual);

}  // namespace sgmcmc
