// Directions along which a log density falls too slowly for means and standard deviations to exist, or not at all.
#pragma once

#include "base/thread_pool.hpp"
#include "model/log_posterior.hpp"

#include <sgmcmc/bias.hpp>
#include <sgmcmc/stein.hpp>

#include <atomic>
#include <optional>

namespace sgmcmc {

/// Far out from the mean of the draws: along the direction in which they are spread most, along that of least
/// curvature, and along each coordinate. The worst that is found, with the names of the coordinates. Throws
/// InterruptedError once the flag is set.
std::optional<SlowDirection> find_slow_direction(const LogPosterior& posterior, const SteinPoints& draws,
                                                 ThreadPool& pool, const std::atomic<bool>* interrupt = nullptr);

}  // namespace sgmcmc
