// SAGA: stores for every row its gradient from the last time it was visited.
#pragma once

#include "gradient/estimator.hpp"
#include "model/log_posterior.hpp"

#include <sgmcmc/gradient.hpp>

#include <memory>

namespace sgmcmc {

std::unique_ptr<GradientEstimator> make_saga(std::shared_ptr<const LogPosterior> posterior,
                                             const GradientOptions& options, std::uint64_t seed, std::uint32_t chain);

}  // namespace sgmcmc
