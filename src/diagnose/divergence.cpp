// Estimates the Kullback-Leibler divergence between two distributions from nearest neighbours among their draws.
//
// The ball around each draw x contains at least k other draws and at least k of the reference: its radius is the larger
// of the two k-th distances, and includes points on its boundary. With P the share of the other draws' weight and Q
// that of the reference's weight inside, log(P / Q) estimates the log ratio of the densities at x; digamma(l) - log(l)
// corrects the logarithm of a count l for its bias. With equal weights this is
//   mean of digamma(l) - digamma(m)  +  log(M / (N - 1)).
#include "base/boost_policy.hpp"
#include "diagnose/draw_points.hpp"
#include "diagnose/effective_size.hpp"
#include "diagnose/pairwise.hpp"
#include "diagnose/weights.hpp"

#include <boost/math/special_functions/digamma.hpp>

#include <algorithm>
#include <cmath>

namespace sgmcmc {
namespace {

/// Merges consecutive equal points into one with their total weight; drops points of weight 0.
DrawPoints without_repeats(const DrawPoints& points) {
  const auto shares = weight_shares(points.weights, points.count());
  DrawPoints distinct;
  distinct.dimension = points.dimension;
  for (std::size_t k = 0; k < points.count(); ++k) {
    if (shares[k] == 0.0) continue;
    const auto point = points.point(k);
    const std::size_t last = distinct.count();
    if (last > 0 && std::equal(point.begin(), point.end(), distinct.point(last - 1).begin())) {
      distinct.weights.back() += shares[k];
    } else {
      distinct.values.insert(distinct.values.end(), point.begin(), point.end());
      distinct.weights.push_back(shares[k]);
    }
  }
  return distinct;
}

/// The k-th smallest, k from 1.
double smallest(std::span<const double> values, std::size_t k, std::vector<double>& scratch) {
  scratch.assign(values.begin(), values.end());
  const auto nth = scratch.begin() + static_cast<std::ptrdiff_t>(k - 1);
  std::nth_element(scratch.begin(), nth, scratch.end());
  return *nth;
}

/// Log of the share of the weight inside, corrected for the bias of the logarithm of a count.
double log_share(std::span<const double> squares, std::span<const double> shares, double radius, std::size_t but) {
  double inside = 0.0, others = 0.0;
  std::size_t count = 0;
  for (std::size_t k = 0; k < squares.size(); ++k) {
    if (k == but) continue;
    others += shares[k];
    if (squares[k] > radius) continue;
    inside += shares[k];
    ++count;
  }
  const auto l = static_cast<double>(count);
  return std::log(inside / others) + boost::math::digamma(l, special::QuietPolicy()) - std::log(l);
}

}  // namespace

double kl_divergence(const DrawPoints& draws, const DrawPoints& reference, std::size_t neighbours, int threads) {
  require_comparable(draws, reference);
  const DrawPoints a = without_repeats(draws), b = without_repeats(reference);
  if (neighbours == 0 || a.count() <= neighbours || b.count() <= neighbours) return not_a_number;
  ThreadPool pool(threads);
  const TransposedPoints own(a), other(b);
  std::vector<double> terms(a.count());
  struct Buffers {
    std::vector<double> other, scratch;
  };
  std::vector<Buffers> buffers(static_cast<std::size_t>(pool.threads()));
  for_each_row(a, own, pool, false, [&](std::size_t i, std::span<const double> padded, int worker) {
    Buffers& buffer = buffers[static_cast<std::size_t>(worker)];
    const std::size_t in_group = i % TransposedPoints::group;
    if (in_group == 0) {  // distances of the whole group, whose points are visited in order
      buffer.other.resize(other.room());
      other.squared_distances(a, i, buffer.other);
    }
    const auto own_squares = padded.first(a.count());
    const auto other_squares = other.row(buffer.other, in_group).first(b.count());
    // The point itself, at distance 0, is the first of its own neighbours.
    const double radius = std::max(smallest(own_squares, neighbours + 1, buffer.scratch),
                                   smallest(other_squares, neighbours, buffer.scratch));
    terms[i] = log_share(own_squares, a.weights, radius, i) -
               log_share(other_squares, b.weights, radius, static_cast<std::size_t>(-1));
  });
  double sum = 0.0;
  for (std::size_t i = 0; i < terms.size(); ++i) sum += a.weights[i] * terms[i];
  return sum;
}

}  // namespace sgmcmc
