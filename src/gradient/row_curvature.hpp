// The full matrix of second derivatives of a log likelihood, by one pass over rows.
#pragma once

#include "base/thread_pool.hpp"
#include "minibatch/row_batch.hpp"
#include "model/log_posterior.hpp"

#include <Eigen/Core>

#include <optional>
#include <span>

namespace sgmcmc {

/// Minus the sum of the Hessians of the batch's rows at theta, times uniform_weight; D x D. Empty if second derivatives
/// are not scalars times products of data, as in most models other than regressions.
std::optional<Eigen::MatrixXd> row_curvature(const LogPosterior& posterior, std::span<const double> theta,
                                             const RowBatch& batch, ThreadPool* pool);

}  // namespace sgmcmc
