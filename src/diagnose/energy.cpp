// Means of distances and of a Gaussian kernel over all pairs of draws.
#include "diagnose/energy.hpp"

#include "base/vector_math.hpp"
#include "diagnose/draw_points.hpp"
#include "diagnose/pairwise.hpp"
#include "diagnose/weights.hpp"

#include <algorithm>
#include <cmath>

namespace sgmcmc {
namespace {

struct Means {
  double distance = 0.0, kernel = 0.0;
};

/// Sums of a row from a given block; padding points have weight 0.
Means row_sum(std::span<const double> squares, std::span<const double> shares, std::size_t first, double rate) {
  using P = Pack<double>;
  constexpr std::size_t lanes = pack_width<double>;
  P distance(0.0), kernel(0.0);
  for (std::size_t k = first; k < squares.size(); k += lanes) {
    const P square = load(squares.data() + k), share = load(shares.data() + k);
    distance += share * sqrt(square);
    kernel += share * exp(square * P(rate));
  }
  return {horizontal_sum(distance), horizontal_sum(kernel)};
}

/// Means over all pairs, including a point with itself.
Means pair_means(const DrawPoints& a, const DrawPoints& b, double bandwidth, ThreadPool& pool) {
  const auto a_shares = weight_shares(a.weights, a.count());
  auto b_shares = weight_shares(b.weights, b.count());
  const TransposedPoints to(b);
  b_shares.resize(to.padded_count(), 0.0);
  const double rate = -0.5 / (bandwidth * bandwidth);
  const bool own = &a == &b;  // then visit each pair only once
  std::vector<Means> rows(a.count());
  for_each_row(a, to, pool, own, [&](std::size_t i, std::span<const double> squares, int) {
    const std::size_t next_block = own ? std::min((i / to.block + 1) * to.block, to.padded_count()) : 0;
    Means sum = row_sum(squares, b_shares, next_block, rate);
    if (own) {
      for (std::size_t k = i + 1; k < next_block; ++k) {
        sum.distance += b_shares[k] * std::sqrt(squares[k]);
        sum.kernel += b_shares[k] * std::exp(rate * squares[k]);
      }
      sum.distance *= 2.0;
      sum.kernel = 2.0 * sum.kernel + b_shares[i];
    }
    rows[i] = sum;
  });
  Means means;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    means.distance += a_shares[i] * rows[i].distance;
    means.kernel += a_shares[i] * rows[i].kernel;
  }
  return means;
}

/// Rounding may give slightly negative values.
double root(double x) { return std::sqrt(std::max(x, 0.0)); }

}  // namespace

double median_distance(const DrawPoints& points) {
  constexpr std::size_t enough = 500;
  DrawPoints some;
  some.dimension = points.dimension;
  const std::size_t stride = std::max<std::size_t>(1, points.count() / enough);
  for (std::size_t k = 0; k < points.count(); k += stride)
    some.values.insert(some.values.end(), points.point(k).begin(), points.point(k).end());
  const TransposedPoints to(some);
  std::vector<double> squares, rows(to.room());
  for (std::size_t begin = 0; begin < some.count(); begin += to.group) {
    to.squared_distances(some, begin, rows);
    for (std::size_t i = begin; i < std::min(some.count(), begin + to.group); ++i) {
      const auto before = to.row(rows, i - begin).first(i);
      squares.insert(squares.end(), before.begin(), before.end());
    }
  }
  std::erase(squares, 0.0);
  if (squares.empty()) return 0.0;
  const auto middle = squares.begin() + static_cast<std::ptrdiff_t>(squares.size() / 2);
  std::nth_element(squares.begin(), middle, squares.end());
  return std::sqrt(*middle);
}

PairDistances pair_distances(const DrawPoints& draws, const DrawPoints& reference, double bandwidth, ThreadPool& pool) {
  if (!(bandwidth > 0.0)) bandwidth = 1.0;  // all points of the reference are equal
  const Means both = pair_means(draws, reference, bandwidth, pool);
  const Means ours = pair_means(draws, draws, bandwidth, pool);
  const Means theirs = pair_means(reference, reference, bandwidth, pool);
  return {root(2.0 * both.distance - ours.distance - theirs.distance),
          root(ours.kernel + theirs.kernel - 2.0 * both.kernel)};
}

double energy_distance(const DrawPoints& draws, const DrawPoints& reference, int threads) {
  require_comparable(draws, reference);
  ThreadPool pool(threads);
  return pair_distances(draws, reference, 1.0, pool).energy;
}

double maximum_mean_discrepancy(const DrawPoints& draws, const DrawPoints& reference, double bandwidth, int threads) {
  require_comparable(draws, reference);
  ThreadPool pool(threads);
  return pair_distances(draws, reference, bandwidth > 0.0 ? bandwidth : median_distance(reference), pool).mmd;
}

}  // namespace sgmcmc
