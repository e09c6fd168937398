// Draws of all parts, each moved by an affine map to the mean and covariance of the product of normal approximations.
//
//   theta = mu + A_s (theta_s - mu_s),  A_s Sigma_s A_s = Sigma,  Sigma = (sum_s Sigma_s^-1)^-1,  mu as in
//   parametric.cpp
//
// C. Vyner, C. Nemeth and C. Sherlock, SwISS: a scalable Markov chain Monte Carlo divide-and-conquer strategy, Stat,
// 2023. Deviations: they draw from prior * likelihood_s^S, of which our subposterior is the S-th root, so that their
// covariance is ours divided by S, and the maps are the same for normal parts; shapes that are not normal stay those of
// the wider subposteriors. A_s is the optimal transport. Draws come from the parts in turn. Exact for normal
// subposteriors.
#include "combine/rules.hpp"

namespace sgmcmc {

CombinedDraws combine_swiss(const Parts& parts, const CombineOptions& /*options*/) {
  const NormalLaw product = product_of(parts);
  std::vector<Eigen::MatrixXd> maps;
  for (const auto& law : parts.moments) maps.push_back(transport(law.covariance, product.covariance));
  return {as_chains(moved_draws(parts, product.mean, maps))};
}

}  // namespace sgmcmc
