// Kernel Stein discrepancy, summed over pairs of tiles (stein_tiles.hpp), without an n x n matrix.
//
// With r = x - y, s = c^2 + |r|^2, k = s^b, b = -1/2, and g the gradients of the log density,
//   k0(x, y) = g_x' g_y k + g_x' grad_y k + g_y' grad_x k + trace(grad_x grad_y' k)
//            = g_x' g_y s^b + 2 b s^(b-1) (g_y - g_x)' r - 2 b D s^(b-1) - 4 b (b-1) |r|^2 s^(b-2)
// [Gorham and Mackey 2017, proposition 2]. Sums over pairs of tiles are stored separately and added in order, so that
// results do not depend on threads.
#include "base/decompositions.hpp"
#include "base/thread_pool.hpp"
#include "diagnose/stein_points.hpp"
#include "diagnose/stein_tiles.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace sgmcmc {
namespace {

/// Thins points evenly, without their division into chains.
SteinPoints thinned(const SteinPoints& points, std::size_t wanted) {
  SteinPoints few;
  few.dimension = points.dimension;
  for (const std::size_t k : evenly_thinned(points.count(), wanted)) {
    const auto begin = static_cast<std::ptrdiff_t>(k * points.dimension);
    const auto end = begin + static_cast<std::ptrdiff_t>(points.dimension);
    few.positions.insert(few.positions.end(), points.positions.begin() + begin, points.positions.begin() + end);
    few.gradients.insert(few.gradients.end(), points.gradients.begin() + begin, points.gradients.begin() + end);
    if (!points.weights.empty()) few.weights.push_back(points.weights[k]);
  }
  return few;
}

ScaledPoints on_scale(const SteinPoints& points, SteinScale scale) {
  auto scaled = scaled_points(points);
  if (scale == SteinScale::none) {
    const Eigen::VectorXd unit = (scaled.sd.array() > 0).select(scaled.sd, 1.0);
    scaled.positions.array().rowwise() *= unit.transpose().array();
    scaled.gradients.array().rowwise() /= unit.transpose().array();
  } else if (scale == SteinScale::full) {
    const Eigen::MatrixXd correlation =
        scaled.unbiasing * (scaled.positions.transpose() * scaled.weights.asDiagonal() * scaled.positions);
    const Cholesky factor(correlation);
    if (!factor.succeeded())
      throw OptionError(
          "stein_discrepancy: the covariance of the draws cannot be inverted; use the diagonal scale, or more draws");
    scaled.positions = factor.solve_lower(scaled.positions.transpose()).transpose();
    scaled.gradients = (scaled.gradients * factor.numbers().triangularView<Eigen::Lower>()).eval();
  }
  return scaled;
}

}  // namespace

void SteinKernelOptions::validate() const {
  if (!(offset > 0) || !std::isfinite(offset))
    throw OptionError("offset is " + std::to_string(offset) + "; the kernel needs a positive number");
  if (most_points < 2) throw OptionError("most_points is " + std::to_string(most_points) + "; at least 2 are needed");
  if (threads < 0) throw OptionError("threads is " + std::to_string(threads) + "; use 0 for all processors");
}

SteinDiscrepancy stein_discrepancy(const SteinPoints& points, const SteinKernelOptions& options) {
  options.validate();
  points.validate();
  const bool too_many = points.count() > options.most_points;
  const ScaledPoints scaled = on_scale(too_many ? thinned(points, options.most_points) : points, options.scale);
  const Eigen::Index count = scaled.positions.rows();
  const Eigen::VectorXd squares = scaled.positions.rowwise().squaredNorm();
  const Eigen::VectorXd along = (scaled.positions.array() * scaled.gradients.array()).rowwise().sum();
  const SteinTilePoints tiled{scaled.positions.data(),
                              scaled.gradients.data(),
                              scaled.weights.data(),
                              squares.data(),
                              along.data(),
                              count,
                              scaled.positions.cols(),
                              options.offset * options.offset};
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
  for (std::int64_t second = 0; second < count; second += stein_tile)
    for (std::int64_t first = 0; first <= second; first += stein_tile) pairs.emplace_back(first, second);
  std::vector<SteinPairSum> parts(pairs.size());
  const int threads = options.threads > 0 ? options.threads : hardware_threads();
  ThreadPool pool(static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(threads), pairs.size())));
  pool.for_each(pairs.size(),
                [&](std::size_t k, int) { parts[k] = sum_over_tiles(tiled, pairs[k].first, pairs[k].second); });
  double different = 0, same = 0, mean_same = 0;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    different += (pairs[k].first == pairs[k].second ? 1.0 : 2.0) * parts[k].different;
    same += parts[k].same;
    mean_same += parts[k].same_unweighted;
  }
  const double repeated = scaled.weights.squaredNorm();
  return {static_cast<std::size_t>(count), different + same, different / (1.0 - repeated), mean_same * repeated};
}

}  // namespace sgmcmc
