// Chooses step sizes for method auto if no mode is known.
#pragma once

#include "chains/setup.hpp"

#include <sgmcmc/tuning.hpp>

namespace sgmcmc {

/// sghmc with the largest steps that gradient noise permits, and larger ones in warm-up. setup: of that sampler with
/// any step size. options: those of the run; fills in the sampler, and warm-up if there is none. seconds: time limit;
/// 0: by the length of the run. Throws DivergenceError with advice. If interrupted, the report is empty.
Tuned tune_without_mode(const RunSetup& setup, const SampleOptions& options, double seconds);

[[noreturn]] void no_step_was_found(const std::string& what);

}  // namespace sgmcmc
