// Consensus Monte Carlo: weighted averages of draws, one from each part.
//
//   theta_t = (sum_s W_s)^-1 sum_s W_s theta_{s,t},  W_s = Sigma_s^-1
//
// S. L. Scott, A. W. Blocker, F. V. Bonassi, H. A. Chipman, E. I. George and R. E. McCulloch, Bayes and big data: the
// consensus Monte Carlo algorithm, 2016, section 3. Exact for normal subposteriors.
#include "base/decompositions.hpp"
#include "combine/rules.hpp"

namespace sgmcmc {

CombinedDraws combine_consensus(const Parts& parts, const CombineOptions& /*options*/) {
  const auto d = static_cast<Eigen::Index>(parts.dimension);
  std::vector<Eigen::MatrixXd> weights;
  Eigen::MatrixXd total = Eigen::MatrixXd::Zero(d, d);
  for (std::size_t s = 0; s < parts.count(); ++s) {
    weights.push_back(estimated_precision(parts.moments[s].covariance, static_cast<std::size_t>(parts.all[s].cols())));
    total += weights.back();
  }
  const Cholesky factor(total);
  for (auto& weight : weights) weight = factor.solve(weight);
  std::vector<Eigen::MatrixXd> chains;
  for (std::size_t chain = 0; chain < parts.chains; ++chain) {
    auto& made = chains.emplace_back(Eigen::MatrixXd::Zero(d, static_cast<Eigen::Index>(parts.draws)));
    for (std::size_t s = 0; s < parts.count(); ++s) {
      const auto& own = parts.chain_draws[s][chain];
      for (Eigen::Index t = 0; t < made.cols(); ++t) made.col(t).noalias() += weights[s] * own.col(t);
    }
  }
  return {as_chains(chains)};
}

}  // namespace sgmcmc
