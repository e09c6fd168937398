// The product of kernel density estimates of the parts: index_sampler.hpp, then x ~ N(xbar_t, h^2 I / S).
//
// W. Neiswanger, C. Wang and E. Xing, Asymptotically exact, embarrassingly parallel MCMC, UAI 2014, algorithm 1. With
// very many draws of normal parts and a fixed h, it samples the product of N(mu_s, Sigma_s + h^2 I), in scaled
// coordinates: the error grows quickly with the dimension.
#include "base/decompositions.hpp"
#include "combine/index_sampler.hpp"
#include "combine/rules.hpp"

namespace sgmcmc {

CombinedDraws combine_nonparametric(const Parts& parts, const CombineOptions& options) {
  const CommonScale scale = common_scale(parts);
  const auto scaled = scaled_draws(parts, scale);
  CombinedDraws result;
  std::vector<Eigen::MatrixXd> chains;
  std::uint64_t proposals = 0, accepted = 0;
  for (std::size_t chain = 0; chain < parts.chains; ++chain) {
    Stream stream(options.seed, static_cast<std::uint32_t>(chain), 0);
    IndexSampler indices(scaled, {}, stream);
    auto& made =
        chains.emplace_back(static_cast<Eigen::Index>(parts.dimension), static_cast<Eigen::Index>(parts.draws));
    const std::size_t dropped = parts.draws / 2;
    for (std::size_t i = 0; i < dropped + parts.draws; ++i) {
      const double h = kernel_bandwidth(options, static_cast<double>(i + 1), parts.dimension);
      for (int sweep = 0; sweep < sweeps_per_draw; ++sweep) indices.iterate(h, [](const auto&) { return 0.0; });
      if (i < dropped) continue;
      Eigen::VectorXd x = indices.mean();
      const double sd = h / std::sqrt(static_cast<double>(parts.count()));
      for (Eigen::Index k = 0; k < x.size(); ++k) x[k] += sd * stream.normal();
      made.col(static_cast<Eigen::Index>(i - dropped)) = plus_product(scale.centre, scale.from, x);
      result.bandwidth = h;
    }
    proposals += indices.proposals();
    accepted += indices.accepted();
  }
  result.chains = as_chains(chains);
  result.acceptance = static_cast<double>(accepted) / static_cast<double>(proposals);
  return result;
}

}  // namespace sgmcmc
