// Gradients of the log posterior at draws: over all rows if that is cheap, else by control variates.
#pragma once

#include "base/thread_pool.hpp"
#include "model/log_posterior.hpp"

#include <sgmcmc/bias.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace sgmcmc {

/// Target noise of an estimated gradient coordinate, in units of 1 / sd of the draws: a tenth of the variance of
/// gradients over the posterior, so that standard errors grow by about 5 %.
inline constexpr double quiet_variance = 0.1;

struct GradientsAtDraws {
  std::vector<double> gradients;  ///< points x dimension
  bool full = true;
  std::int64_t batch_size = 0;
  double rows_touched = 0;  ///< control variates evaluate a row at two points; it counts once
};

/// Gradients at `positions`, points x dimension; may be non-finite. Results do not depend on the pool. Throws
/// InterruptedError once the flag is set.
GradientsAtDraws gradients_at(const std::shared_ptr<const LogPosterior>& posterior,
                              const std::vector<double>& positions, const BiasOptions& options, ThreadPool& pool,
                              const std::atomic<bool>* interrupt = nullptr);

}  // namespace sgmcmc
