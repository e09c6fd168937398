// Checks, thins and scales points.
#include "diagnose/stein_points.hpp"

#include <sgmcmc/diagnose.hpp>
#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

namespace sgmcmc {

void SteinPoints::validate() const {
  if (dimension == 0) throw OptionError("Stein points: dimension is 0");
  if (positions.size() % dimension != 0 || positions.size() != gradients.size())
    throw OptionError("Stein points: " + std::to_string(positions.size()) + " positions and " +
                      std::to_string(gradients.size()) +
                      " gradients are given; expected as many of both, a multiple of " + std::to_string(dimension));
  if (count() < 2) throw OptionError("Stein points: at least 2 points are needed");
  if (!weights.empty() && weights.size() != count())
    throw OptionError("Stein points: " + std::to_string(weights.size()) + " weights for " + std::to_string(count()) +
                      " points");
  const std::size_t total = std::accumulate(lengths.begin(), lengths.end(), std::size_t{0});
  if (!lengths.empty() && total != count())
    throw OptionError("Stein points: the chains have " + std::to_string(total) + " points together, but there are " +
                      std::to_string(count()));
  const auto finite = [](double x) { return std::isfinite(x); };
  for (const auto* numbers : {&positions, &gradients, &weights})
    if (!std::all_of(numbers->begin(), numbers->end(), finite))
      throw OptionError("Stein points: a position, gradient or weight is not finite; omit that point");
  if (!weights.empty() && (std::any_of(weights.begin(), weights.end(), [](double w) { return w < 0; }) ||
                           std::count(weights.begin(), weights.end(), 0.0) + 2 > std::ssize(weights)))
    throw OptionError("Stein points: weights must not be negative, and at least two of them not 0");
}

std::vector<std::size_t> evenly_thinned(std::size_t count, std::size_t wanted) {
  const std::size_t kept = std::min(count, wanted);
  std::vector<std::size_t> places(kept);
  for (std::size_t k = 0; k < kept; ++k) places[k] = (2 * k + 1) * count / (2 * kept);
  return places;
}

Eigen::VectorXd normalised_weights(const SteinPoints& points) {
  const auto count = static_cast<Eigen::Index>(points.count());
  if (points.weights.empty()) return Eigen::VectorXd::Constant(count, 1.0 / static_cast<double>(count));
  const Eigen::VectorXd weights = Eigen::Map<const Eigen::VectorXd>(points.weights.data(), count);
  return weights / weights.sum();
}

ScaledPoints scaled_points(const SteinPoints& points) {
  points.validate();
  const auto count = static_cast<Eigen::Index>(points.count());
  const auto dimension = static_cast<Eigen::Index>(points.dimension);
  ScaledPoints scaled;
  scaled.weights = normalised_weights(points);
  scaled.unbiasing = 1.0 / (1.0 - scaled.weights.squaredNorm());
  const Eigen::Map<const PointRows> positions(points.positions.data(), count, dimension);
  const Eigen::Map<const PointRows> gradients(points.gradients.data(), count, dimension);
  scaled.mean = positions.transpose() * scaled.weights;
  scaled.positions = positions.rowwise() - scaled.mean.transpose();
  // Corrects the rounding error of the mean, which matters far from the origin.
  const Eigen::VectorXd rest = scaled.positions.transpose() * scaled.weights;
  scaled.positions.rowwise() -= rest.transpose();
  scaled.mean += rest;
  scaled.sd =
      (scaled.unbiasing * (scaled.positions.array().square().matrix().transpose() * scaled.weights)).cwiseSqrt();
  // A constant coordinate has no scale.
  const Eigen::VectorXd unit = (scaled.sd.array() > 0).select(scaled.sd, 1.0);
  scaled.positions.array().rowwise() /= unit.transpose().array();
  scaled.gradients = gradients.array().rowwise() * unit.transpose().array();
  return scaled;
}

double error_of_mean(const SteinPoints& points, const std::function<double(Eigen::Index)>& number) {
  const std::vector<std::size_t> lengths =
      points.lengths.empty() ? std::vector<std::size_t>{points.count()} : points.lengths;
  QuantityDraws series;
  std::size_t point = 0;
  for (const std::size_t length : lengths) {
    if (!points.weights.empty())
      series.weights.emplace_back(points.weights.begin() + static_cast<std::ptrdiff_t>(point),
                                  points.weights.begin() + static_cast<std::ptrdiff_t>(point + length));
    auto& values = series.chains.emplace_back(length);
    for (double& value : values) value = number(static_cast<Eigen::Index>(point++));
  }
  return mcse_mean(series);
}

}  // namespace sgmcmc
