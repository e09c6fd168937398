// Normal subposteriors whose product is known, and the deviation of draws from a normal distribution.
#pragma once

#include "combine/parts.hpp"

#include <sgmcmc/combine.hpp>
#include <sgmcmc/random.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace sgmcmc::combine_test {

inline Eigen::MatrixXd standard_normal(std::uint64_t seed, Eigen::Index rows, Eigen::Index columns) {
  Eigen::MatrixXd made(rows, columns);
  fill_normal({.seed = seed, .purpose = Purpose::data}, {made.data(), static_cast<std::size_t>(made.size())});
  return made;
}

/// Means about one standard deviation apart, covariances of different scales and directions. Unless they are alike, so
/// different that no rule is right by symmetry.
inline std::vector<NormalLaw> normal_laws(std::size_t parts, std::size_t dimension, std::uint64_t seed = 1,
                                          bool alike = false) {
  const auto d = static_cast<Eigen::Index>(dimension);
  std::vector<NormalLaw> laws;
  for (std::size_t s = 0; s < parts; ++s) {
    const Eigen::MatrixXd root = standard_normal(100 * seed + s, d, d) / std::sqrt(static_cast<double>(dimension));
    const double scale = alike ? 0.6 + 0.2 * static_cast<double>(s) : 0.4 * std::pow(1.7, s % 4);
    const Eigen::MatrixXd covariance =
        scale * (root * root.transpose() + (alike ? 1.0 : 0.2) * Eigen::MatrixXd::Identity(d, d));
    laws.push_back({0.5 * standard_normal(200 * seed + s, d, 1), covariance});
  }
  return laws;
}

/// Independent draws, exactly as many in each chain.
inline PartDraws draws_of(const NormalLaw& law, std::size_t chains, std::size_t draws, std::uint64_t seed) {
  PartDraws made;
  const Eigen::MatrixXd root = law.covariance.llt().matrixL();
  for (std::size_t chain = 0; chain < chains; ++chain) {
    const Eigen::MatrixXd own =
        (root * standard_normal(1000 * seed + chain, root.rows(), static_cast<Eigen::Index>(draws))).colwise() +
        law.mean;
    made.chains.emplace_back(own.data(), own.data() + own.size());
  }
  return made;
}

inline std::vector<PartDraws> draws_of(const std::vector<NormalLaw>& laws, std::size_t chains, std::size_t draws) {
  std::vector<PartDraws> parts;
  for (std::size_t s = 0; s < laws.size(); ++s) parts.push_back(draws_of(laws[s], chains, draws, s + 1));
  return parts;
}

/// The product of the distributions, each with `widened` times the matrix added to its covariance.
inline NormalLaw product(const std::vector<NormalLaw>& laws, double widened = 0, const Eigen::MatrixXd& by = {}) {
  const auto d = laws.front().mean.size();
  Eigen::MatrixXd precision = Eigen::MatrixXd::Zero(d, d);
  Eigen::VectorXd weighted = Eigen::VectorXd::Zero(d);
  for (const auto& law : laws) {
    const Eigen::MatrixXd covariance = widened > 0 ? Eigen::MatrixXd(law.covariance + widened * by) : law.covariance;
    const Eigen::MatrixXd own = covariance.inverse();
    precision += own;
    weighted += own * law.mean;
  }
  return {precision.inverse() * weighted, precision.inverse()};
}

inline Eigen::MatrixXd average_covariance(const std::vector<NormalLaw>& laws) {
  Eigen::MatrixXd sum = 0 * laws.front().covariance;
  for (const auto& law : laws) sum += law.covariance / static_cast<double>(laws.size());
  return sum;
}

inline Eigen::MatrixXd pooled(const CombinedDraws& combined, std::size_t dimension, std::size_t every = 1) {
  std::vector<double> all;
  for (const auto& chain : combined.chains)
    for (std::size_t at = 0; at + dimension <= chain.size(); at += every * dimension)
      all.insert(all.end(), chain.begin() + static_cast<std::ptrdiff_t>(at),
                 chain.begin() + static_cast<std::ptrdiff_t>(at + dimension));
  return Eigen::Map<const Eigen::MatrixXd>(all.data(), static_cast<Eigen::Index>(dimension),
                                           static_cast<Eigen::Index>(all.size() / dimension));
}

/// The largest deviation of means, variances and correlations from the distribution, in standard errors of independent
/// draws.
inline double misfit(const Eigen::MatrixXd& draws, const NormalLaw& law) {
  const auto n = static_cast<double>(draws.cols());
  const Eigen::MatrixXd white = law.covariance.llt().matrixL().solve(draws.colwise() - law.mean);
  const NormalLaw found = moments_of(white);
  double most = found.mean.cwiseAbs().maxCoeff() * std::sqrt(n);
  for (Eigen::Index i = 0; i < found.covariance.rows(); ++i)
    for (Eigen::Index j = 0; j <= i; ++j)
      most = std::max(most, i == j ? std::abs(found.covariance(i, i) - 1) * std::sqrt(n / 2)
                                   : std::abs(found.covariance(i, j)) * std::sqrt(n));
  return most;
}

}  // namespace sgmcmc::combine_test
