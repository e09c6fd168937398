// Computes preconditioners from the curvature of a posterior at a point.
#pragma once

#include "base/thread_pool.hpp"
#include "minibatch/row_batch.hpp"
#include "model/log_posterior.hpp"

#include <sgmcmc/precondition.hpp>

#include <Eigen/Core>

#include <atomic>
#include <memory>
#include <span>

namespace sgmcmc {

/// Resolves `automatic` by the number of coordinates.
Precondition decided(Precondition wanted, std::size_t dimension);

/// The sum of outer products of the gradients of the rows of a batch at theta (empirical Fisher information): near a
/// mode, approximately minus the Hessian of the log likelihood, and positive semidefinite. D x D, both triangles. One
/// pass.
Eigen::MatrixXd row_information(const LogPosterior& posterior, std::span<const double> theta, const RowBatch& batch,
                                ThreadPool* pool);

/// Minus the Hessian of the log likelihood of the batch if one pass suffices (regressions), else row_information.
Eigen::MatrixXd likelihood_curvature(const LogPosterior& posterior, std::span<const double> theta,
                                     const RowBatch& batch, ThreadPool* pool);

/// Minus the Hessian of the log posterior, made positive definite, D x D: the curvature of the rows plus secants of the
/// prior's gradient over about a posterior standard deviation, because the prior may have kinks.
Eigen::MatrixXd smoothed_curvature(const LogPosterior& posterior, std::span<const double> theta,
                                   const Eigen::MatrixXd& rows);

/// L with L L' the inverse of a positive definite matrix, lower triangular.
Eigen::MatrixXd inverse_factor(const Eigen::MatrixXd& curvature);

/// Takes one pass over all or part of the rows, and a few gradients. kind: not none. Throws ModelError if gradients at
/// theta are not finite, and InterruptedError once the flag is set.
std::shared_ptr<const Preconditioner> make_preconditioner(const LogPosterior& posterior, std::span<const double> theta,
                                                          Precondition kind, ThreadPool* pool,
                                                          const std::atomic<bool>* interrupt = nullptr);

}  // namespace sgmcmc
