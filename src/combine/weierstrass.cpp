// The Weierstrass sampler: pairs of parts are combined by rejection, along a binary tree.
//
//   f_a(x) f_b(x) is approximated by the integral of N(x; u, h^2 I) N(x; v, h^2 I) f_a(u) f_b(v) over u and v:
//   take draws u of a and v of b, accept them with probability exp(-|u - v|^2 / (4 h^2)), and x = (A + B)^-1 (A u + B
//   v)
//
// in coordinates in which the two have about unit covariance; A and B are their precision matrices. X. Wang and D. B.
// Dunson, Parallelizing MCMC via Weierstrass sampler, arXiv:1312.4605, section 3. Deviation: they take x ~ N((u + v)/2,
// h^2 I / 2). The difference vanishes with h. The noise widens x at every level of the tree, by much in many
// dimensions, where h must be large; the weighted mean of normal u and v is independent of u - v, so that x is exact
// for normal parts whatever h is.
// The bandwidth is the smallest at which one pair in `pairs_per_draw` is accepted, but not below n^(-1/(4 + d)) for n
// draws, where the product would follow the noise of single draws: between consensus (no pair refused) and the limit
// h -> 0, which is exact for all densities. Sets between leaves and root have `draws_between` times as many draws as
// parts, or `enough_between`, so that the parts contribute most of the Monte Carlo error.
#include "base/decompositions.hpp"
#include "combine/rules.hpp"
#include "combine/stream.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cmath>

namespace sgmcmc {
namespace {

constexpr double pairs_per_draw = 10;
constexpr Eigen::Index draws_between = 8, enough_between = 50'000;
constexpr std::size_t pairs_tried = 2000;                                          // to choose the bandwidth
constexpr std::uint64_t attempts_at_first = 1'000'000, attempts_per_draw = 1'000;  // at most

struct Counts {
  double attempts = 0, accepted = 0, bandwidth = 0;
};

double chosen_bandwidth(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b, Stream& stream) {
  std::vector<double> distances(pairs_tried);
  for (double& distance : distances)
    distance = (a.col(stream.below(a.cols())) - b.col(stream.below(b.cols()))).squaredNorm();
  const auto accepted = [&](double h) {
    double sum = 0;
    for (const double distance : distances) sum += std::exp(-distance / (4 * h * h));
    return sum / static_cast<double>(pairs_tried);
  };
  double low = 1e-3, high = 1e3;
  for (int k = 0; k < 60; ++k) {
    const double middle = std::sqrt(low * high);
    (accepted(middle) > 1.0 / pairs_per_draw ? high : low) = middle;
  }
  const auto n = static_cast<double>(std::min(a.cols(), b.cols())), d = static_cast<double>(a.rows());
  return std::max(high, std::pow(n, -1.0 / (4.0 + d)));
}

/// Draws of the product of the densities that two sets were drawn from.
Eigen::MatrixXd product_of_two(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b, Eigen::Index draws,
                               const CombineOptions& options, Stream& stream, Counts& counts) {
  const NormalLaw law_a = moments_of(a), law_b = moments_of(b);
  const Eigen::VectorXd centre = 0.5 * (law_a.mean + law_b.mean);
  const Cholesky factor(0.5 * (law_a.covariance + law_b.covariance));
  const Eigen::MatrixXd u = factor.solve_lower(a.colwise() - centre), v = factor.solve_lower(b.colwise() - centre);
  const double h = options.bandwidth > 0 ? options.bandwidth : chosen_bandwidth(u, v, stream);
  counts.bandwidth = h;
  // (A + B)^-1 A = Sigma_b (Sigma_a + Sigma_b)^-1
  const Eigen::MatrixXd own_a = moments_of(u).covariance, own_b = moments_of(v).covariance;
  const Eigen::MatrixXd weight = Cholesky(own_a + own_b).solve(own_b).transpose();
  Eigen::MatrixXd made(a.rows(), draws);
  std::uint64_t left = attempts_at_first;
  for (Eigen::Index t = 0; t < draws; ++t) {
    for (left += attempts_per_draw;; --left) {
      if (left == 0)
        throw DataError(
            "weierstrass: pairs of draws of different parts are hardly ever close to each other; the parts do not "
            "overlap. Use fewer parts, a larger bandwidth or another rule");
      const auto x = u.col(stream.below(u.cols())), y = v.col(stream.below(v.cols()));
      ++counts.attempts;
      if (std::log(stream.uniform()) >= -(x - y).squaredNorm() / (4 * h * h)) continue;
      ++counts.accepted;
      made.col(t) = plus_product(y, weight, x - y);
      break;
    }
  }
  return product(factor.lower(), made).colwise() + centre;
}

}  // namespace

CombinedDraws combine_weierstrass(const Parts& parts, const CombineOptions& options) {
  Counts counts;
  std::vector<Eigen::MatrixXd> level = parts.all;
  std::uint64_t pair = 0;
  const auto last = static_cast<Eigen::Index>(parts.chains * parts.draws);
  Eigen::Index fewest = parts.all.front().cols();
  for (const auto& draws : parts.all) fewest = std::min(fewest, draws.cols());
  const Eigen::Index between = std::max(fewest, std::min(draws_between * fewest, enough_between));
  while (level.size() > 1) {
    std::vector<Eigen::MatrixXd> next;
    for (std::size_t s = 0; s + 1 < level.size(); s += 2) {
      Stream stream(options.seed, 0, pair++);
      const Eigen::Index draws = level.size() == 2 ? last : between;
      next.push_back(product_of_two(level[s], level[s + 1], draws, options, stream, counts));
    }
    if (level.size() % 2 == 1) next.push_back(level.back());
    level = std::move(next);
  }
  std::vector<Eigen::MatrixXd> chains;
  for (std::size_t chain = 0; chain < parts.chains; ++chain) {
    if (parts.count() == 1) {
      chains.push_back(parts.chain_draws.front()[chain]);
      continue;
    }
    chains.push_back(level.front().middleCols(static_cast<Eigen::Index>(chain * parts.draws),
                                              static_cast<Eigen::Index>(parts.draws)));
  }
  CombinedDraws result{as_chains(chains)};
  if (counts.attempts > 0) {
    result.acceptance = counts.accepted / counts.attempts;
    result.bandwidth = counts.bandwidth;
  }
  return result;
}

}  // namespace sgmcmc
