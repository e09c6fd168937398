// Finding the coordinates in which a posterior is about standard normal, from its curvature at a point.
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

/// automatic: by the number of coordinates.
Precondition decided(Precondition wanted, std::size_t dimension);

/// The sum over the rows of a batch of products of the elements of their gradients at theta: near a mode, about minus
/// the Hessian of the log likelihood, and never negative. D x D; lower triangle and its mirror image. One pass.
Eigen::MatrixXd row_information(const LogPosterior& posterior, std::span<const double> theta, const RowBatch& batch,
                                ThreadPool* pool);

/// Minus the Hessian of the log likelihood of the batch where one pass can give it (regressions), else row_information.
Eigen::MatrixXd likelihood_curvature(const LogPosterior& posterior, std::span<const double> theta,
                                     const RowBatch& batch, ThreadPool* pool);

/// Minus the Hessian of the log posterior, smoothed over about a posterior standard deviation where the prior is
/// concerned, which may have kinks: the curvature of the rows plus secants of the prior's gradient. Made positive
/// definite. D x D.
Eigen::MatrixXd smoothed_curvature(const LogPosterior& posterior, std::span<const double> theta,
                                   const Eigen::MatrixXd& rows);

/// L with L L' the inverse of a positive definite matrix, lower triangular.
Eigen::MatrixXd inverse_factor(const Eigen::MatrixXd& curvature);

/// By one pass over the rows or a part of them, and a few gradients. kind: not none. Throws ModelError where gradients
/// at theta are not finite, and InterruptedError once the flag is set.
std::shared_ptr<const Preconditioner> make_preconditioner(const LogPosterior& posterior, std::span<const double> theta,
                                                          Precondition kind, ThreadPool* pool,
                                                          const std::atomic<bool>* interrupt = nullptr);

}  // namespace sgmcmc
