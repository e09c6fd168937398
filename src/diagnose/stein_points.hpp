// Points and gradients as matrices, centred and scaled by the draws themselves.
#pragma once

#include <sgmcmc/stein.hpp>

#include <Eigen/Core>

#include <functional>
#include <vector>

namespace sgmcmc {

using PointRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Weights that sum to 1.
Eigen::VectorXd normalised_weights(const SteinPoints& points);

/// In units of the draws' standard deviations: centred positions divided by them, gradients multiplied by them.
struct ScaledPoints {
  PointRows positions;  ///< points x dimension
  PointRows gradients;
  Eigen::VectorXd weights;  ///< sum 1
  Eigen::VectorXd mean, sd;
  double unbiasing = 1;  ///< n / (n - 1), for weights 1 / (1 - sum of squares): sums of products become covariances
};
ScaledPoints scaled_points(const SteinPoints& points);

/// The standard error of the weighted mean of one number per point, including autocorrelation along the chains. NaN if
/// it cannot be estimated.
double error_of_mean(const SteinPoints& points, const std::function<double(Eigen::Index)>& number);

}  // namespace sgmcmc
