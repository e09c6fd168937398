// Preferential sampling: row probabilities that are higher for rows whose gradients vary more over the posterior.
#pragma once

#include "base/thread_pool.hpp"
#include "model/log_posterior.hpp"

#include <sgmcmc/gradient.hpp>
#include <sgmcmc/precondition.hpp>

#include <memory>
#include <vector>

namespace sgmcmc {

/// One probability per row: 90 % proportional to the contribution of the row to gradient noise, in preconditioned
/// coordinates, and 10 % uniform. The contribution is, for control variates, the change of the row's gradient from the
/// preconditioner's centre to draws of its normal approximation; for plain minibatches, the gradient itself. Takes a
/// few passes over the rows, a block at a time.
std::vector<double> preferential_probabilities(const LogPosterior& posterior, Estimator estimator,
                                               std::shared_ptr<const Preconditioner> preconditioner, std::uint64_t seed,
                                               ThreadPool* pool);

}  // namespace sgmcmc
