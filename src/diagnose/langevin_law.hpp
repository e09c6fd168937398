// The law of discretised Langevin dynamics on a normal target: what step size and gradient noise make of a covariance.
#pragma once

#include <Eigen/Dense>

#include <optional>

namespace sgmcmc {

/// S = B S B' + Q, by doubling; nothing where B does not shrink.
std::optional<Eigen::MatrixXd> stationary_covariance(Eigen::MatrixXd B, const Eigen::MatrixXd& Q);

/// Standard deviations of sgld, theta <- theta + (e / 2) gradient + N(0, e), over those of its target, a normal law of
/// precision A, with gradient noise of covariance V and one step size per coordinate. Infinite where it diverges.
Eigen::VectorXd langevin_sd_ratios(const Eigen::MatrixXd& A, const Eigen::MatrixXd& V, const Eigen::VectorXd& steps);

/// The largest factor, at most 1, by which the step sizes are to be multiplied so that no ratio is above 1 + tolerance.
double factor_within(const Eigen::MatrixXd& A, const Eigen::MatrixXd& V, const Eigen::VectorXd& steps,
                     double tolerance);

}  // namespace sgmcmc
