// What method auto takes where no mode is known.
#pragma once

#include "chains/setup.hpp"

#include <sgmcmc/tuning.hpp>

namespace sgmcmc {

/// sghmc with steps as long as gradient noise permits, and longer ones in warm-up. setup: of that sampler with any
/// step. options: those of the run; their sampler is filled in, and warm-up where there is none. seconds: what it may
/// take; 0: by the length of the run. Throws DivergenceError with advice. An interrupted search tells nothing.
Tuned tune_without_mode(const RunSetup& setup, const SampleOptions& options, double seconds);

[[noreturn]] void no_step_was_found(const std::string& what);

}  // namespace sgmcmc
