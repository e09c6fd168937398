// The noise of a run's gradient estimates, from the variance of per-row gradients at some of its draws.
#pragma once

#include "model/log_posterior.hpp"

#include <sgmcmc/gradient.hpp>
#include <sgmcmc/sample.hpp>

#include <Eigen/Core>

#include <memory>
#include <vector>

namespace sgmcmc {

struct GradientNoise {
  Eigen::VectorXd variance;    ///< of each coordinate of an estimate, over random minibatches
  Eigen::MatrixXd covariance;  ///< full covariance; empty if there are too many coordinates
  double rows_touched = 0;
};

/// A position at which to estimate the noise, and the centre of control variates there; no centre: plain minibatches.
struct NoisePoint {
  std::vector<double> position;
  std::vector<double> centre;
};

/// Mean noise over the points. `options`: those of the run, whose estimator is not full.
GradientNoise gradient_noise(const LogPosterior& posterior, const GradientOptions& options,
                             const std::vector<NoisePoint>& points, std::uint64_t seed);

/// Variance that gradient noise adds in one iteration, relative to that of the injected noise. 0 for samplers without
/// estimates, NaN if the options do not determine it.
double noise_ratio(const SamplerOptions& sampler, double step_size, double variance);

}  // namespace sgmcmc
