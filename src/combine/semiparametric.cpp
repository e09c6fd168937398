// The product of semiparametric estimates of the parts, each a normal density times a kernel estimate of its
// correction.
//
//   W_t = w_t N(xbar_t; mu, Sigma + h^2 I / S) / prod_s N(x_{s,t_s}; mu_s, Sigma_s)
//   x ~ N(m, C),  C = (S h^-2 I + Sigma^-1)^-1,  m = C (S h^-2 xbar_t + Sigma^-1 mu)
//
// with w_t and h of index_sampler.hpp; mu_s, Sigma_s the moments of part s, and N(mu, Sigma) the product of these
// normal laws. W. Neiswanger, C. Wang and E. Xing, Asymptotically exact, embarrassingly parallel MCMC, UAI 2014,
// section 3.3. Exact for normal subposteriors, with any h. Coordinates are such that Sigma is diagonal. Deviation: h is
// S^1/4 times as large, but at most sqrt(2), beyond which weights of single draws have no variance: the noise of the
// product grows with S, whereas the normal densities leave little bias for narrow kernels to remove.
#include "base/decompositions.hpp"
#include "combine/index_sampler.hpp"
#include "combine/rules.hpp"

#include <algorithm>

namespace sgmcmc {
namespace {

constexpr double widest = 1.4;  // kernel

/// - log N(x; mean, covariance) of each column, up to a constant.
Eigen::VectorXd minus_log_density(const Eigen::MatrixXd& draws) {
  const NormalLaw law = moments_of(draws);
  const Eigen::MatrixXd centred = draws.colwise() - law.mean;
  return 0.5 * Cholesky(law.covariance).solve_lower(centred).colwise().squaredNorm().transpose();
}

}  // namespace

CombinedDraws combine_semiparametric(const Parts& parts, const CombineOptions& options) {
  const CommonScale scale = common_scale(parts);
  const auto scaled = scaled_draws(parts, scale);
  std::vector<Eigen::VectorXd> corrections;
  for (const auto& draws : scaled) corrections.push_back(minus_log_density(draws));
  const auto count = static_cast<double>(parts.count());
  CombinedDraws result;
  std::vector<Eigen::MatrixXd> chains;
  std::uint64_t proposals = 0, accepted = 0;
  for (std::size_t chain = 0; chain < parts.chains; ++chain) {
    Stream stream(options.seed, static_cast<std::uint32_t>(chain), 0);
    IndexSampler indices(scaled, corrections, stream);
    auto& made =
        chains.emplace_back(static_cast<Eigen::Index>(parts.dimension), static_cast<Eigen::Index>(parts.draws));
    const std::size_t dropped = parts.draws / 2;
    for (std::size_t i = 0; i < dropped + parts.draws; ++i) {
      const double narrow = kernel_bandwidth(options, static_cast<double>(i + 1), parts.dimension);
      const double h = options.bandwidth > 0 ? narrow : std::min(widest, std::pow(count, 0.25) * narrow);
      const Eigen::VectorXd precision = (scale.product_variance.array() + h * h / count).inverse();
      for (int sweep = 0; sweep < sweeps_per_draw; ++sweep)
        indices.iterate(h, [&](const Eigen::VectorXd& mean) {
          return -0.5 * (mean - scale.product_mean).cwiseAbs2().dot(precision);
        });
      if (i < dropped) continue;
      Eigen::VectorXd x = indices.mean();
      for (Eigen::Index k = 0; k < x.size(); ++k) {
        const double own = 1.0 / scale.product_variance[k], kernel = count / (h * h);
        x[k] =
            (kernel * x[k] + own * scale.product_mean[k]) / (kernel + own) + stream.normal() / std::sqrt(kernel + own);
      }
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
