// Wasserstein distances: between normal laws in closed form, and between empirical laws along random directions.
#include "base/thread_pool.hpp"
#include "diagnose/draw_points.hpp"
#include "diagnose/weights.hpp"

#include <sgmcmc/random.hpp>

#include <Eigen/Cholesky>
#include <Eigen/SVD>

#include <algorithm>
#include <cmath>

namespace sgmcmc {
namespace {

/// Not one of a chain's: no run shares numbers with the directions.
constexpr auto direction_purpose = static_cast<Purpose>(200);

/// F with F F' the covariance of the points; covariances of dependent parameters have pivots of 0.
Eigen::MatrixXd covariance_factor(const DrawPoints& points) {
  const Eigen::MatrixXd residuals = weighted_residuals(points);
  const Eigen::LDLT<Eigen::MatrixXd> ldlt(residuals.transpose() * residuals);
  const Eigen::VectorXd roots = ldlt.vectorD().cwiseMax(0.0).cwiseSqrt();
  Eigen::MatrixXd factor = ldlt.matrixL();
  factor = factor * roots.asDiagonal();
  return ldlt.transpositionsP().transpose() * factor;
}

struct Projected {
  double value, share;
};

/// Squared, between laws on the line: quantile functions are compared, weight by weight in ascending order.
double squared_distance(const std::vector<Projected>& a, const std::vector<Projected>& b) {
  double sum = 0.0, a_left = a[0].share, b_left = b[0].share;
  for (std::size_t i = 0, j = 0;;) {
    const double share = std::min(a_left, b_left);
    const double difference = a[i].value - b[j].value;
    sum += share * difference * difference;
    const bool a_done = a_left <= b_left, b_done = b_left <= a_left;
    a_left -= share;
    b_left -= share;
    if (a_done) {
      if (++i == a.size()) break;
      a_left = a[i].share;
    }
    if (b_done) {
      if (++j == b.size()) break;
      b_left = b[j].share;
    }
  }
  return sum;
}

void project(const DrawPoints& points, const std::vector<double>& shares, std::span<const double> direction,
             std::vector<Projected>& out) {
  out.resize(points.count());
  for (std::size_t k = 0; k < out.size(); ++k) {
    double sum = 0.0;
    for (std::size_t j = 0; j < direction.size(); ++j) sum += direction[j] * points.point(k)[j];
    out[k] = {sum, shares[k]};
  }
  std::sort(out.begin(), out.end(), [](const Projected& x, const Projected& y) {
    return x.value != y.value ? x.value < y.value : x.share < y.share;
  });
}

}  // namespace

double gaussian_wasserstein(const DrawPoints& draws, const DrawPoints& reference) {
  require_comparable(draws, reference);
  const auto mean = mean_of(draws), expected = mean_of(reference);
  double square = 0.0;
  for (std::size_t j = 0; j < mean.size(); ++j) square += (mean[j] - expected[j]) * (mean[j] - expected[j]);
  // tr (A^(1/2) B A^(1/2))^(1/2) is the sum of the singular values of F'G for any A = F F', B = G G'. Taken so,
  // rounding in small eigenvalues stays small: no root is taken of it.
  const Eigen::MatrixXd f = covariance_factor(draws), g = covariance_factor(reference);
  const double overlap = Eigen::BDCSVD<Eigen::MatrixXd>(f.transpose() * g).singularValues().sum();
  square += f.squaredNorm() + g.squaredNorm() - 2.0 * overlap;
  return std::sqrt(std::max(square, 0.0));
}

double sliced_wasserstein(const DrawPoints& draws, const DrawPoints& reference, std::size_t directions,
                          std::uint64_t seed, int threads) {
  require_comparable(draws, reference);
  const auto shares = weight_shares(draws.weights, draws.count());
  const auto reference_shares = weight_shares(reference.weights, reference.count());
  if (draws.dimension == 1) directions = 1;  // there is but one
  std::vector<double> squares(directions);
  ThreadPool pool(threads);
  struct Buffers {
    std::vector<double> direction;
    std::vector<Projected> a, b;
  };
  std::vector<Buffers> buffers(static_cast<std::size_t>(pool.threads()));
  pool.for_each(directions, [&](std::size_t index, int worker) {
    auto& [direction, a, b] = buffers[static_cast<std::size_t>(worker)];
    direction.resize(draws.dimension);
    fill_normal(StreamKey{seed, 0, index, direction_purpose}, std::span<double>(direction));
    double norm = 0.0;
    for (const double x : direction) norm += x * x;
    for (double& x : direction) x /= std::sqrt(norm);
    project(draws, shares, direction, a);
    project(reference, reference_shares, direction, b);
    squares[index] = squared_distance(a, b);
  });
  double sum = 0.0;
  for (const double square : squares) sum += square;
  return std::sqrt(sum / static_cast<double>(directions));
}

}  // namespace sgmcmc
