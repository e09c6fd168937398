// Stochastic optimisers: SGD and Adam on any estimator.
#pragma once

#include "gradient/estimator.hpp"

#include <sgmcmc/optimize.hpp>

#include <atomic>
#include <cstdint>
#include <span>

namespace sgmcmc {

/// Iteration t uses evaluation first_evaluation + t of the estimator. theta becomes the result. Throw InterruptedError
/// once the flag is set.
OptimizeReport maximise_sgd(GradientEstimator& estimator, std::span<double> theta, const SgdOptions& options,
                            std::uint64_t first_evaluation = 0, const std::atomic<bool>* interrupt = nullptr);
OptimizeReport maximise_adam(GradientEstimator& estimator, std::span<double> theta, const AdamOptions& options,
                             std::uint64_t first_evaluation = 0, const std::atomic<bool>* interrupt = nullptr);

}  // namespace sgmcmc
