// Relative errors of means and covariances.
#include "base/thread_pool.hpp"
#include "diagnose/draw_points.hpp"
#include "diagnose/effective_size.hpp"

#include <algorithm>
#include <cmath>

namespace sgmcmc {

double relative_error_of_means(const DrawPoints& draws, const DrawPoints& reference) {
  require_comparable(draws, reference);
  const auto mean = mean_of(draws), expected = mean_of(reference);
  double difference = 0.0, size = 0.0;
  for (std::size_t j = 0; j < mean.size(); ++j) {
    difference += std::abs(mean[j] - expected[j]);
    size += std::abs(expected[j]);
  }
  return size > 0.0 ? difference / size : not_a_number;
}

RelativeErrors relative_errors(const DrawPoints& draws, const DrawPoints& reference, int threads) {
  RelativeErrors errors;
  errors.mean = relative_error_of_means(draws, reference);
  // Computes covariances tile by tile, to limit memory with thousands of parameters.
  const Eigen::MatrixXd a = weighted_residuals(draws), b = weighted_residuals(reference);
  constexpr Eigen::Index tile = 128;
  const Eigen::Index dimension = a.cols(), tiles = (dimension + tile - 1) / tile;
  struct Sums {
    double difference = 0.0, size = 0.0;
  };
  std::vector<Sums> sums(static_cast<std::size_t>(tiles * tiles));
  ThreadPool pool(std::min(threads > 0 ? threads : hardware_threads(), static_cast<int>(tiles * tiles)));
  pool.for_each(sums.size(), [&](std::size_t index, int) {
    const Eigen::Index row = static_cast<Eigen::Index>(index) / tiles,
                       column = static_cast<Eigen::Index>(index) % tiles;
    if (column < row) return;  // symmetric
    const Eigen::Index rows = std::min(tile, dimension - row * tile),
                       columns = std::min(tile, dimension - column * tile);
    const auto block = [&](const Eigen::MatrixXd& r) -> Eigen::MatrixXd {
      return r.middleCols(row * tile, rows).transpose() * r.middleCols(column * tile, columns);
    };
    const Eigen::MatrixXd ours = block(a), theirs = block(b);
    const double times = row == column ? 1.0 : 2.0;
    sums[index] = {times * (ours - theirs).cwiseAbs().sum(), times * theirs.cwiseAbs().sum()};
  });
  Sums all;
  for (const Sums& one : sums) {
    all.difference += one.difference;
    all.size += one.size;
  }
  errors.covariance = all.size > 0.0 ? all.difference / all.size : not_a_number;
  return errors;
}

}  // namespace sgmcmc
