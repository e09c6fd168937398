// Directions in which the curvature of a log posterior stands out, where there are too many coordinates for a matrix.
#pragma once

#include "base/thread_pool.hpp"
#include "minibatch/row_batch.hpp"
#include "model/log_posterior.hpp"

#include <Eigen/Core>

namespace sgmcmc {

struct OutstandingDirections {
  Eigen::MatrixXd columns;  ///< orthonormal, D x k; k may be 0
  Eigen::VectorXd values;   ///< the curvature along each, positive; about 1 along all others
};

/// Of S H S, H minus the Hessian of the log posterior at theta, as the rows of the batch tell it, plus `more` on its
/// diagonal: by so many steps of Lanczos' method, each a pass over the batch.
OutstandingDirections outstanding_directions(const LogPosterior& posterior, const Eigen::VectorXd& theta,
                                             const Eigen::VectorXd& scale, const Eigen::VectorXd& more,
                                             const RowBatch& batch, ThreadPool* pool);

}  // namespace sgmcmc
