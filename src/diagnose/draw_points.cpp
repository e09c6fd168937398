// Extracts points from chains, and computes their moments.
#include "diagnose/draw_points.hpp"

#include "diagnose/weights.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cmath>

namespace sgmcmc {

DrawPoints draw_points(const MemoryDraws& draws, std::span<const std::size_t> parameters, std::size_t most,
                       ChainPart part) {
  const auto range = [&](std::size_t chain) {
    const std::size_t length = draws.draws(chain), half = length / 2;
    if (part == ChainPart::first_half) return std::pair<std::size_t, std::size_t>(0, half);
    return std::pair<std::size_t, std::size_t>(part == ChainPart::whole ? 0 : half, length);
  };
  std::size_t total = 0;
  for (std::size_t chain = 0; chain < draws.chains(); ++chain) total += range(chain).second - range(chain).first;
  const std::size_t stride = most == 0 ? 1 : std::max<std::size_t>(1, (total + most - 1) / most);

  const bool weighted = !draws.equal_weights();
  DrawPoints points;
  points.dimension = parameters.size();
  points.values.reserve((total / stride + draws.chains()) * parameters.size());
  for (std::size_t chain = 0; chain < draws.chains(); ++chain) {
    const auto [begin, end] = range(chain);
    for (std::size_t k = begin + (stride - 1) / 2; k < end; k += stride) {
      for (const std::size_t parameter : parameters) points.values.push_back(draws(chain, k, parameter));
      if (weighted) points.weights.push_back(draws.weights(chain)[k]);
    }
  }
  return points;
}

void require_comparable(const DrawPoints& draws, const DrawPoints& reference) {
  if (draws.count() == 0 || reference.count() == 0) throw OptionError("one of the two sets has no draws");
  if (draws.dimension != reference.dimension)
    throw OptionError("draws of " + std::to_string(draws.dimension) + " parameters cannot be compared with draws of " +
                      std::to_string(reference.dimension) + "; choose the same parameters of both");
}

std::vector<double> mean_of(const DrawPoints& points) {
  const auto shares = weight_shares(points.weights, points.count());
  std::vector<double> mean(points.dimension, 0.0), rest(points.dimension, 0.0);
  for (std::size_t k = 0; k < points.count(); ++k)
    for (std::size_t j = 0; j < points.dimension; ++j) mean[j] += shares[k] * points.point(k)[j];
  for (std::size_t k = 0; k < points.count(); ++k)  // corrects rounding
    for (std::size_t j = 0; j < points.dimension; ++j) rest[j] += shares[k] * (points.point(k)[j] - mean[j]);
  for (std::size_t j = 0; j < points.dimension; ++j) mean[j] += rest[j];
  return mean;
}

Eigen::MatrixXd weighted_residuals(const DrawPoints& points) {
  const auto shares = weight_shares(points.weights, points.count());
  const auto mean = mean_of(points);
  Eigen::MatrixXd residuals(static_cast<Eigen::Index>(points.count()), static_cast<Eigen::Index>(points.dimension));
  for (std::size_t k = 0; k < points.count(); ++k) {
    const double root = std::sqrt(shares[k]);
    for (std::size_t j = 0; j < points.dimension; ++j)
      residuals(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(j)) = root * (points.point(k)[j] - mean[j]);
  }
  return residuals;
}

void divide_by(DrawPoints& points, std::span<const double> units) {
  for (std::size_t k = 0; k < points.count(); ++k)
    for (std::size_t j = 0; j < points.dimension; ++j) points.values[k * points.dimension + j] /= units[j];
}

}  // namespace sgmcmc
