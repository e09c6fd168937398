// The product of normal approximations of the parts.
//
//   Sigma = (sum_s Sigma_s^-1)^-1,  mu = Sigma sum_s Sigma_s^-1 mu_s,  theta ~ N(mu, Sigma)
//
// W. Neiswanger, C. Wang and E. Xing, Asymptotically exact, embarrassingly parallel MCMC, UAI 2014, section 3.1. Draws
// are independent. Exact for normal subposteriors.
#include "base/decompositions.hpp"
#include "combine/rules.hpp"
#include "combine/stream.hpp"

namespace sgmcmc {

CombinedDraws combine_parametric(const Parts& parts, const CombineOptions& options) {
  const NormalLaw product = product_of(parts);
  const Eigen::MatrixXd root = Cholesky(product.covariance).lower();
  std::vector<Eigen::MatrixXd> chains;
  for (std::size_t chain = 0; chain < parts.chains; ++chain) {
    Stream stream(options.seed, static_cast<std::uint32_t>(chain), 0);
    auto& made = chains.emplace_back(root.rows(), static_cast<Eigen::Index>(parts.draws));
    for (Eigen::Index t = 0; t < made.cols(); ++t)
      for (Eigen::Index k = 0; k < made.rows(); ++k) made(k, t) = stream.normal();
    made = lower_product(root, made);
    made.colwise() += product.mean;
  }
  return {as_chains(chains)};
}

}  // namespace sgmcmc
