// Second derivatives of a log posterior at a point.
#pragma once

#include "model/log_posterior.hpp"

#include <sgmcmc/mode.hpp>

#include <atomic>
#include <span>
#include <vector>

namespace sgmcmc {

/// Minus the Hessian of the log posterior at theta, D x D, symmetric: one pass over the rows per coordinate. Throws
/// OptionError if it would not fit in memory, and InterruptedError once the flag is set.
std::vector<double> negative_hessian(const LogPosterior& posterior, std::span<const double> theta, ThreadPool* pool,
                                     const std::atomic<bool>* interrupt = nullptr);

/// The normal approximation at a mode. Throws ModelError if the search for it failed, and InterruptedError once the
/// flag is set.
LaplaceApproximation approximation_at(const LogPosterior& posterior, ModeResult mode, ThreadPool* pool,
                                      const std::atomic<bool>* interrupt = nullptr);

}  // namespace sgmcmc
