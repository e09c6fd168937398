// The noise of a run's own gradient estimates, from the spread of the gradients of single rows at some of its draws.
#pragma once

#include "model/log_posterior.hpp"

#include <sgmcmc/gradient.hpp>
#include <sgmcmc/sample.hpp>

#include <Eigen/Dense>

#include <memory>
#include <vector>

namespace sgmcmc {

struct GradientNoise {
  Eigen::VectorXd variance;    ///< of each coordinate of an estimate, over the choice of the minibatch
  Eigen::MatrixXd covariance;  ///< the same with covariances; empty where there are too many coordinates
  double rows_touched = 0;
};

/// Where the noise is looked at, and where control variates have their centre then; no centre: plain minibatches.
struct NoisePoint {
  std::vector<double> position;
  std::vector<double> centre;
};

/// The mean over the points. `options`: those of the run, whose estimator is not full.
GradientNoise gradient_noise(const LogPosterior& posterior, const GradientOptions& options,
                             const std::vector<NoisePoint>& points, std::uint64_t seed);

/// Variance the gradient noise adds over that of the noise the sampler injects, in one iteration. 0 for samplers that
/// take no estimates, not a number where it cannot be told from the options.
double noise_ratio(const SamplerOptions& sampler, double step_size, double variance);

}  // namespace sgmcmc
