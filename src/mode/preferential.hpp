// Which rows are worth being drawn more often: those whose gradients change most over the posterior.
#pragma once

#include "base/thread_pool.hpp"
#include "model/log_posterior.hpp"

#include <sgmcmc/gradient.hpp>
#include <sgmcmc/precondition.hpp>

#include <memory>
#include <vector>

namespace sgmcmc {

/// One positive number per row, adding up to 1: nine parts in proportion to the size of what the row contributes to the
/// noise of an estimate, in units of the posterior, and one part the same for all. For control variates the change of
/// the row's gradient from the preconditioner's centre to draws of its normal approximation; for plain minibatches the
/// gradient itself. A few passes over the rows, a block at a time.
std::vector<double> preferential_probabilities(const LogPosterior& posterior, Estimator estimator,
                                               std::shared_ptr<const Preconditioner> preconditioner, std::uint64_t seed,
                                               ThreadPool* pool);

}  // namespace sgmcmc
