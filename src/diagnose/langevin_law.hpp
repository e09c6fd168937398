// The stationary covariance of discretised Langevin dynamics on a normal target, given step size and gradient noise.
#pragma once

#include <Eigen/Core>

#include <optional>

namespace sgmcmc {

/// Solves S = B S B' + Q by doubling; empty if B is not a contraction.
std::optional<Eigen::MatrixXd> stationary_covariance(Eigen::MatrixXd B, const Eigen::MatrixXd& Q);

/// Standard deviations of sgld, theta <- theta + (e / 2) gradient + N(0, e), relative to those of its target, a normal
/// distribution of precision A, with gradient noise of covariance V and one step size per coordinate. Infinite if it
/// diverges.
Eigen::VectorXd langevin_sd_ratios(const Eigen::MatrixXd& A, const Eigen::MatrixXd& V, const Eigen::VectorXd& steps);

/// The largest factor, at most 1, for the step sizes such that no ratio exceeds 1 + tolerance.
double factor_within(const Eigen::MatrixXd& A, const Eigen::MatrixXd& V, const Eigen::VectorXd& steps,
                     double tolerance);

}  // namespace sgmcmc
