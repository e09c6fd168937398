// Kernel Stein discrepancy, tile by tile: three small matrix products per pair of tiles, and no n x n matrix.
//
// With r = x - y, s = c^2 + |r|^2, k = s^b, b = -1/2, and g the gradients of the log density,
//   k0(x, y) = g_x' g_y k + g_x' grad_y k + g_y' grad_x k + trace(grad_x grad_y' k)
//            = g_x' g_y s^b + 2 b s^(b-1) (g_y - g_x)' r - 2 b D s^(b-1) - 4 b (b-1) |r|^2 s^(b-2)
// [Gorham and Mackey 2017, proposition 2]. Sums over pairs of tiles are stored separately and added in order, so that
// results do not depend on threads.
#include "base/decompositions.hpp"
#include "base/matrix_products.hpp"
#include "base/thread_pool.hpp"
#include "diagnose/stein_points.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace sgmcmc {
namespace {

constexpr Eigen::Index tile = 64;

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

/// Sums of w_x w_y k0(x, y) over a pair of tiles.
struct PairSum {
  double different = 0;  ///< pairs of different points
  double same = 0;
  double same_unweighted = 0;  ///< w_x k0(x, x)
};

class TileSums {
 public:
  TileSums(const ScaledPoints& points, double offset)
      : points_(points),
        offset_squared_(offset * offset),
        squares_(points.positions.rowwise().squaredNorm()),
        along_((points.positions.array() * points.gradients.array()).rowwise().sum()) {}

  PairSum of(Eigen::Index first, Eigen::Index second) const {
    const Eigen::Index count = points_.positions.rows();
    const Eigen::Index rows = std::min(tile, count - first), columns = std::min(tile, count - second);
    // A point is a line of contiguous numbers: a column of the transposed matrix.
    const Eigen::Index size = points_.positions.cols();
    const auto products = [&](const PointRows& left, const PointRows& right) {
      Eigen::MatrixXd result(rows, columns);
      set_inner_products({&left(first, 0), size, rows, size}, {&right(second, 0), size, columns, size}, result.data(),
                         rows);
      return result;
    };
    const Eigen::MatrixXd xy = products(points_.positions, points_.positions);
    const Eigen::MatrixXd gh = products(points_.gradients, points_.gradients);
    const Eigen::MatrixXd gy = products(points_.gradients, points_.positions);
    const Eigen::MatrixXd xh = products(points_.positions, points_.gradients);
    const auto dimension = static_cast<double>(size);
    PairSum sum;
    for (Eigen::Index j = 0; j < columns; ++j) {
      for (Eigen::Index i = 0; i < rows; ++i) {
        const Eigen::Index a = first + i, b = second + j;
        const double distance = a == b ? 0.0 : std::max(0.0, squares_[a] + squares_[b] - 2.0 * xy(i, j));
        const double s = offset_squared_ + distance;
        const double root = 1.0 / std::sqrt(s), cube = root / s;
        const double across = xh(i, j) - along_[b] - along_[a] + gy(i, j);  // (g_y - g_x)' (x - y)
        const double value = gh(i, j) * root + cube * (dimension - across) - 3.0 * distance * cube / s;
        const double weight = points_.weights[a] * points_.weights[b];
        if (a == b) {
          sum.same += weight * value;
          sum.same_unweighted += points_.weights[a] * value;
        } else {
          sum.different += weight * value;
        }
      }
    }
    return sum;
  }

 private:
  const ScaledPoints& points_;
  double offset_squared_;
  Eigen::VectorXd squares_, along_;
};

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
  const Eigen::Index count = scaled.positions.rows(), tiles = (count + tile - 1) / tile;
  const TileSums sums(scaled, options.offset);
  std::vector<std::pair<Eigen::Index, Eigen::Index>> pairs;
  for (Eigen::Index second = 0; second < tiles; ++second)
    for (Eigen::Index first = 0; first <= second; ++first) pairs.emplace_back(first * tile, second * tile);
  std::vector<PairSum> parts(pairs.size());
  const int threads = options.threads > 0 ? options.threads : hardware_threads();
  ThreadPool pool(static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(threads), pairs.size())));
  pool.for_each(pairs.size(), [&](std::size_t k, int) { parts[k] = sums.of(pairs[k].first, pairs[k].second); });
  double different = 0, same = 0, mean_same = 0;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    different += (pairs[k].first == pairs[k].second ? 1.0 : 2.0) * parts[k].different;
    same += parts[k].same;
    mean_same += parts[k].same_unweighted;
  }
  const double squares = scaled.weights.squaredNorm();
  return {static_cast<std::size_t>(count), different + same, different / (1.0 - squares), mean_same * squares};
}

}  // namespace sgmcmc
