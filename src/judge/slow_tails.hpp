// Detects directions in which a density has no mean, no standard deviation, or is improper.
#pragma once

#include "base/thread_pool.hpp"
#include "model/log_posterior.hpp"

#include <sgmcmc/bias.hpp>
#include <sgmcmc/stein.hpp>

#include <atomic>
#include <optional>

namespace sgmcmc {

/// Evaluates the density far from the mean of the draws: along their leading principal component, along the direction
/// of smallest curvature, and along each coordinate. Returns the worst direction, with the names of its coordinates.
/// Throws InterruptedError once the flag is set.
std::optional<SlowDirection> find_slow_direction(const LogPosterior& posterior, const SteinPoints& draws,
                                                 ThreadPool& pool, const std::atomic<bool>* interrupt = nullptr);

}  // namespace sgmcmc
