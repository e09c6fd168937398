// Gradients of the log posterior at draws: over all rows where that is cheap, else by control variates.
#pragma once

#include "base/thread_pool.hpp"
#include "model/log_posterior.hpp"

#include <sgmcmc/bias.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace sgmcmc {

/// Noise of an estimated gradient coordinate, in units of 1 / sd of the draws: a tenth of what gradients vary by
/// themselves in the posterior, so that errors grow by about 5 %.
inline constexpr double quiet_variance = 0.1;

struct GradientsAtDraws {
  std::vector<double> gradients;  ///< points x dimension
  bool full = true;
  std::int64_t batch_size = 0;
  double rows_touched = 0;  ///< a row that control variates evaluate at two points counts once
};

/// At `positions`, points x dimension. Numbers may come out not finite. Results do not depend on the pool. Throws
/// InterruptedError once the flag is set.
GradientsAtDraws gradients_at(const std::shared_ptr<const LogPosterior>& posterior,
                              const std::vector<double>& positions, const BiasOptions& options, ThreadPool& pool,
                              const std::atomic<bool>* interrupt = nullptr);

}  // namespace sgmcmc
