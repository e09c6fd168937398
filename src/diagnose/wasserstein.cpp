// Wasserstein distances: between normal distributions in closed form, and between empirical ones along random
// directions.
#include "base/decompositions.hpp"
#include "base/thread_pool.hpp"
#include "diagnose/draw_points.hpp"
#include "diagnose/weights.hpp"

#include <sgmcmc/random.hpp>

#include <algorithm>
#include <cmath>

namespace sgmcmc {
namespace {

/// Not the number of any chain, so that directions share no random numbers with runs.
constexpr auto direction_purpose = static_cast<Purpose>(200);

/// F with F F' the covariance of the points; covariances of dependent parameters have pivots of 0.
Eigen::MatrixXd covariance_factor(const DrawPoints& points) {
  const Eigen::MatrixXd residuals = weighted_residuals(points);
  return PivotedCholesky(transposed_product(residuals, residuals)).root();
}

struct Projected {
  double value, share;
};

/// Squared distance in one dimension: integrates the difference of quantile functions in ascending order of weight.
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

void sort_projected(const Eigen::VectorXd& values, const std::vector<double>& shares, std::vector<Projected>& out) {
  out.resize(shares.size());
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = {values[static_cast<Eigen::Index>(k)], shares[k]};
  std::sort(out.begin(), out.end(), [](const Projected& x, const Projected& y) {
    return x.value != y.value ? x.value < y.value : x.share < y.share;
  });
}

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Map<const RowMajor> matrix_of(const DrawPoints& points) {
  return {points.values.data(), static_cast<Eigen::Index>(points.count()), static_cast<Eigen::Index>(points.dimension)};
}

/// Unit vectors as columns.
Eigen::MatrixXd unit_vectors(std::size_t dimension, std::size_t first, std::size_t count, std::uint64_t seed) {
  Eigen::MatrixXd directions(static_cast<Eigen::Index>(dimension), static_cast<Eigen::Index>(count));
  for (std::size_t k = 0; k < count; ++k) {
    auto column = directions.col(static_cast<Eigen::Index>(k));
    fill_normal(StreamKey{seed, 0, first + k, direction_purpose}, std::span<double>(column.data(), dimension));
    column.normalize();
  }
  return directions;
}

}  // namespace

double gaussian_wasserstein(const DrawPoints& draws, const DrawPoints& reference) {
  require_comparable(draws, reference);
  const auto mean = mean_of(draws), expected = mean_of(reference);
  double square = 0.0;
  for (std::size_t j = 0; j < mean.size(); ++j) square += (mean[j] - expected[j]) * (mean[j] - expected[j]);
  // tr (A^(1/2) B A^(1/2))^(1/2) is the sum of the singular values of F'G for any A = F F', B = G G'. This form takes
  // no roots of small eigenvalues, which would amplify rounding.
  const Eigen::MatrixXd f = covariance_factor(draws), g = covariance_factor(reference);
  const double overlap = nuclear_norm(transposed_product(f, g));
  square += f.squaredNorm() + g.squaredNorm() - 2.0 * overlap;
  return std::sqrt(std::max(square, 0.0));
}

double sliced_wasserstein(const DrawPoints& draws, const DrawPoints& reference, std::size_t directions,
                          std::uint64_t seed, int threads) {
  require_comparable(draws, reference);
  const auto shares = weight_shares(draws.weights, draws.count());
  const auto reference_shares = weight_shares(reference.weights, reference.count());
  if (draws.dimension == 1) directions = 1;  // there is only one
  std::vector<double> squares(directions);
  ThreadPool pool(threads);
  constexpr std::size_t together = 8;  // directions per pass over the points
  pool.for_each((directions + together - 1) / together, [&](std::size_t group, int) {
    const std::size_t first = group * together, count = std::min(together, directions - first);
    const Eigen::MatrixXd along = unit_vectors(draws.dimension, first, count, seed);
    const Eigen::MatrixXd ours = matrix_of(draws) * along, theirs = matrix_of(reference) * along;
    std::vector<Projected> a, b;
    for (std::size_t k = 0; k < count; ++k) {
      sort_projected(ours.col(static_cast<Eigen::Index>(k)), shares, a);
      sort_projected(theirs.col(static_cast<Eigen::Index>(k)), reference_shares, b);
      squares[first + k] = squared_distance(a, b);
    }
  });
  double sum = 0.0;
  for (const double square : squares) sum += square;
  return std::sqrt(sum / static_cast<double>(directions));
}

}  // namespace sgmcmc
