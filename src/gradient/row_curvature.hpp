// The curvature of a log likelihood, all pairs of coordinates, by one pass over rows.
#pragma once

#include "base/thread_pool.hpp"
#include "minibatch/row_batch.hpp"
#include "model/log_posterior.hpp"

#include <Eigen/Core>

#include <optional>
#include <span>

namespace sgmcmc {

/// Minus the sum of the Hessians of the batch's rows at theta, times the weight of a row; D x D. Nothing where second
/// derivatives are not numbers times products of data: for models other than regressions.
std::optional<Eigen::MatrixXd> row_curvature(const LogPosterior& posterior, std::span<const double> theta,
                                             const RowBatch& batch, ThreadPool* pool);

}  // namespace sgmcmc
