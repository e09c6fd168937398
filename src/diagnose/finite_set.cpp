// The finite-set Stein discrepancy: Stein's identity at a few test locations, linear in the number of points.
//
// tau(x) is, for every location v and coordinate d, [g_d(x) k(x, v) + d k(x, v) / d x_d] / sqrt(D J). The estimate is
// the mean of tau(x)' tau(y) over pairs of different points, which is (|sum tau|^2 - sum |tau|^2) / (n (n - 1))
// [Jitkrittum et al. 2017, equation 2, with the inverse multiquadric kernel in place of the Gaussian].
#include "diagnose/stein_points.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/random.hpp>

#include <cmath>
#include <string>

namespace sgmcmc {
namespace {

/// A normal vector with mean 0 and the covariance of the draws: a sum of centred draws with normal weights.
Eigen::VectorXd location(const ScaledPoints& points, std::uint64_t seed, std::size_t which) {
  Eigen::VectorXd factors(points.positions.rows());
  fill_normal({seed, static_cast<std::uint32_t>(which), 0, Purpose::user},
              {factors.data(), static_cast<std::size_t>(factors.size())});
  return points.positions.transpose() * factors.cwiseProduct(points.weights.cwiseSqrt());
}

}  // namespace

void FiniteSetOptions::validate() const {
  if (locations < 1) throw OptionError("locations is 0; at least 1 test location is needed");
  if (!(offset > 0) || !std::isfinite(offset))
    throw OptionError("offset is " + std::to_string(offset) + "; the kernel needs a positive number");
}

FiniteSetDiscrepancy finite_set_discrepancy(const SteinPoints& points, const FiniteSetOptions& options) {
  options.validate();
  const ScaledPoints scaled = scaled_points(points);
  const Eigen::Index count = scaled.positions.rows(), dimension = scaled.positions.cols();
  const double factor = 1.0 / static_cast<double>(dimension * static_cast<Eigen::Index>(options.locations));
  double squared_sum = 0, sum_of_squares = 0;
  Eigen::VectorXd along_mean = Eigen::VectorXd::Zero(count);  // tau(x)' mean of tau
  PointRows tau(count, dimension);
  for (std::size_t j = 0; j < options.locations; ++j) {
    const Eigen::VectorXd v = location(scaled, options.seed, j);
    for (Eigen::Index i = 0; i < count; ++i) {
      const auto difference = scaled.positions.row(i) - v.transpose();
      const double s = options.offset * options.offset + difference.squaredNorm();
      const double kernel = 1.0 / std::sqrt(s);
      tau.row(i) = kernel * scaled.gradients.row(i) - (kernel / s) * difference;
    }
    const Eigen::VectorXd mean = tau.transpose() * scaled.weights;
    squared_sum += factor * mean.squaredNorm();
    sum_of_squares += factor * tau.rowwise().squaredNorm().dot(scaled.weights.array().square().matrix());
    along_mean += factor * (tau * mean);
  }
  FiniteSetDiscrepancy result;
  result.squared = (squared_sum - sum_of_squares) / (1.0 - scaled.weights.squaredNorm());
  result.error = error_of_mean(points, [&](Eigen::Index i) { return 2.0 * along_mean[i]; });
  return result;
}

}  // namespace sgmcmc
