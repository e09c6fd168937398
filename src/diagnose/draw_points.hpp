// Moments and scaling of points.
#pragma once

#include <sgmcmc/compare.hpp>

#include <Eigen/Core>

#include <span>
#include <vector>

namespace sgmcmc {

/// Throws OptionError unless both sets have points, of one dimension.
void require_comparable(const DrawPoints& draws, const DrawPoints& reference);

std::vector<double> mean_of(const DrawPoints& points);

/// Points minus their mean, each times the root of its share of the weight: C = R' R is their covariance, with the
/// total weight as denominator.
Eigen::MatrixXd weighted_residuals(const DrawPoints& points);

/// E1 of RelativeErrors, without the cost of E2.
double relative_error_of_means(const DrawPoints& draws, const DrawPoints& reference);

/// Every coordinate divided by its unit.
void divide_by(DrawPoints& points, std::span<const double> units);

}  // namespace sgmcmc
