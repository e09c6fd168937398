// The Wasserstein barycentre of the parts, each taken to the power S, by normal approximations.
//
//   V_s = Sigma_s / S;  mu = sum_s mu_s / S;  V is the fixed point of V = sum_s (V^1/2 V_s V^1/2)^1/2 / S
//   theta = mu + A_s (theta_s - mu_s),  A_s Sigma_s A_s = V
//
// S. Srivastava, V. Cevher, Q. Dinh and D. Dunson, WASP: scalable Bayes via barycenters of subset posteriors, AISTATS
// 2015; the iteration is that of P. C. Alvarez-Esteban, E. del Barrio, J. A. Cuesta-Albertos and C. Matran, A
// fixed-point approach to barycenters in Wasserstein space, 2016, theorem 4.2. All parts have equal weight, however
// informative they are: for equally informative parts the barycentre is the product of the parts, for others it is not.
#include "base/decompositions.hpp"
#include "combine/rules.hpp"

#include <sgmcmc/error.hpp>

namespace sgmcmc {
namespace {

constexpr int most_iterations = 500;
constexpr double converged = 1e-12;

Eigen::MatrixXd barycentre_of(const std::vector<Eigen::MatrixXd>& covariances) {
  const auto count = static_cast<double>(covariances.size());
  Eigen::MatrixXd V = Eigen::MatrixXd::Zero(covariances.front().rows(), covariances.front().cols());
  for (const auto& own : covariances) V += own / count;
  for (int k = 0; k < most_iterations; ++k) {
    // V -> V^-1/2 (mean of (V^1/2 V_s V^1/2)^1/2)^2 V^-1/2 = T V T, T the mean of the maps from V to V_s
    Eigen::MatrixXd map = Eigen::MatrixXd::Zero(V.rows(), V.cols());
    for (const auto& own : covariances) map += transport(V, own) / count;
    const Eigen::MatrixXd next = product(product(map, V), map);
    const double change = (next - V).norm() / V.norm();
    V = 0.5 * (next + next.transpose());
    if (change < converged) return V;
  }
  throw DataError("barycentre: the fixed point was not found; covariances of the parts are too different");
}

}  // namespace

CombinedDraws combine_barycentre(const Parts& parts, const CombineOptions& /*options*/) {
  const auto count = static_cast<double>(parts.count());
  Eigen::VectorXd mean = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(parts.dimension));
  std::vector<Eigen::MatrixXd> inflated, maps;
  for (const auto& law : parts.moments) {
    mean += law.mean / count;
    inflated.push_back(law.covariance / count);
  }
  const Eigen::MatrixXd V = barycentre_of(inflated);
  for (const auto& law : parts.moments) maps.push_back(transport(law.covariance, V));
  return {as_chains(moved_draws(parts, mean, maps))};
}

}  // namespace sgmcmc
