// A rough length scale for every parameter, found from a few gradients.
#pragma once

#include <sgmcmc/optimize.hpp>

#include <Eigen/Core>

#include <cstdint>

namespace sgmcmc {

struct ProbedScale {
  Eigen::VectorXd scale;
  std::uint64_t evaluations = 0;
};

/// About 1 / sqrt(curvature) for each parameter, by differences of gradients along random signs. Accurate to a small
/// factor even for parameters whose units differ by a million; ignores correlations.
ProbedScale probe_scale(const LogDensityFunction& log_density, const Eigen::VectorXd& theta,
                        const Eigen::VectorXd& gradient);

}  // namespace sgmcmc
