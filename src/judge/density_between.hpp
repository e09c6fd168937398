// What gradients at the draws do not show: draws where the density is zero, and jumps of the log density.
#pragma once

#include "base/thread_pool.hpp"
#include "model/log_posterior.hpp"

#include <sgmcmc/bias.hpp>
#include <sgmcmc/stein.hpp>

#include <atomic>
#include <optional>

namespace sgmcmc {

/// The share of the draws at which the density is zero, by the prior and some of the rows. 0 if there are too many
/// coordinates to look. Throws InterruptedError once the flag is set.
double share_with_zero_density(const LogPosterior& posterior, const SteinPoints& draws, ThreadPool& pool,
                               const std::atomic<bool>* interrupt = nullptr);

/// Compares differences of the log density between draws with integrals of its gradient along the lines between them.
/// Empty if they agree, or if there are too many coordinates to look. Throws InterruptedError once the flag is set.
std::optional<Jump> find_jump(const LogPosterior& posterior, const SteinPoints& draws, ThreadPool& pool,
                              const std::atomic<bool>* interrupt = nullptr);

}  // namespace sgmcmc
