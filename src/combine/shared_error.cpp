// Influence functions, batch means, and the share of the error that reaches each variable.
#include "combine/shared_error.hpp"

#include "base/decompositions.hpp"

#include <algorithm>
#include <cmath>

namespace sgmcmc {
namespace {

constexpr Eigen::Index batches_in_all = 32, fewest_batches_per_chain = 8;
constexpr double most_products = 2e11;  // of draws, variables and columns of the error

/// The influence of each draw of a chain on the mean of the combination.
Eigen::MatrixXd influence(const Eigen::MatrixXd& draws, const NormalLaw& part, const NormalLaw& product,
                          const Eigen::MatrixXd& precision, CombineMethod method, std::size_t parts) {
  Eigen::MatrixXd centred = draws.colwise() - part.mean;
  if (method == CombineMethod::barycentre) return centred / static_cast<double>(parts);
  const Eigen::VectorXd v = precision * (part.mean - product.mean);
  const double of_means = method == CombineMethod::consensus ? 0.0 : 1.0;
  const Eigen::RowVectorXd along = v.transpose() * centred;
  const Eigen::VectorXd mean = part.covariance * v;
  centred = (centred.array().rowwise() * (of_means - along.array())).colwise() + mean.array();
  return product.covariance * (precision * centred);
}

/// True for rules that return the draws of a single part as they are, which show all of their error.
bool keeps_one_part(CombineMethod method) {
  return method == CombineMethod::consensus || method == CombineMethod::swiss || method == CombineMethod::barycentre ||
         method == CombineMethod::weierstrass;
}

/// The draws of all chains, as columns, less their mean.
Eigen::MatrixXd centred_positions(const std::vector<std::vector<double>>& chains, std::size_t dimension) {
  std::size_t numbers = 0;
  for (const auto& chain : chains) numbers += chain.size();
  Eigen::MatrixXd all(static_cast<Eigen::Index>(dimension), static_cast<Eigen::Index>(numbers / dimension));
  double* next = all.data();
  for (const auto& chain : chains) next = std::copy(chain.begin(), chain.end(), next);
  const Eigen::VectorXd mean = all.rowwise().mean();
  return all.colwise() - mean;
}

/// Values of some variables at all draws, one row each, less their means.
Eigen::MatrixXd centred_variables(const MemoryDraws& draws, std::size_t first, std::size_t count, std::size_t numbers) {
  Eigen::MatrixXd values(static_cast<Eigen::Index>(count), static_cast<Eigen::Index>(numbers));
  Eigen::Index t = 0;
  for (std::size_t chain = 0; chain < draws.chains(); ++chain)
    for (std::size_t draw = 0; draw < draws.draws(chain); ++draw, ++t)
      for (std::size_t k = 0; k < count; ++k) values(static_cast<Eigen::Index>(k), t) = draws(chain, draw, first + k);
  const Eigen::VectorXd mean = values.rowwise().mean();
  return values.colwise() - mean;
}

std::size_t draws_in(const MemoryDraws& draws) {
  std::size_t count = 0;
  for (std::size_t chain = 0; chain < draws.chains(); ++chain) count += draws.draws(chain);
  return count;
}

}  // namespace

Eigen::MatrixXd covariance_of_mean(const std::vector<Eigen::MatrixXd>& chains) {
  const auto d = chains.front().rows(), count = static_cast<Eigen::Index>(chains.size());
  const Eigen::Index per_chain = std::max(fewest_batches_per_chain, (batches_in_all + count - 1) / count);
  Eigen::MatrixXd sums(d, per_chain * count);
  Eigen::Index batches = 0, draws = 0;
  for (const auto& chain : chains) {
    const Eigen::Index some = std::min(per_chain, chain.cols());
    for (Eigen::Index b = 0; b < some; ++b) {
      const Eigen::Index begin = chain.cols() * b / some, end = chain.cols() * (b + 1) / some;
      sums.col(batches++) = chain.middleCols(begin, end - begin).rowwise().sum();
    }
    draws += chain.cols();
  }
  if (batches < 2) return Eigen::MatrixXd::Zero(d, d);
  sums.conservativeResize(d, batches);
  const auto n = static_cast<double>(draws), B = static_cast<double>(batches);
  return sums * sums.transpose() * (B / (B - 1) / (n * n));
}

Eigen::MatrixXd shared_error(const Parts& parts, CombineMethod method) {
  const auto d = static_cast<Eigen::Index>(parts.dimension);
  if (parts.count() == 1 && keeps_one_part(method)) return Eigen::MatrixXd::Zero(d, d);
  const NormalLaw product = product_of(parts);
  Eigen::MatrixXd covariance = Eigen::MatrixXd::Zero(d, d);
  for (std::size_t s = 0; s < parts.count(); ++s) {
    const Eigen::MatrixXd precision =
        estimated_precision(parts.moments[s].covariance, static_cast<std::size_t>(parts.all[s].cols()));
    std::vector<Eigen::MatrixXd> influences;
    for (const auto& chain : parts.chain_draws[s])
      influences.push_back(influence(chain, parts.moments[s], product, precision, method, parts.count()));
    covariance += covariance_of_mean(influences);
  }
  return square_root(covariance);
}

std::vector<double> shared_error_ratios(const CombinedDraws& combined, std::size_t dimension,
                                        const MemoryDraws& variables) {
  const auto d = static_cast<Eigen::Index>(dimension);
  const Eigen::MatrixXd error = Eigen::Map<const Eigen::MatrixXd>(combined.shared_error.data(), d, d);
  const Eigen::MatrixXd positions = centred_positions(combined.chains, dimension);
  const Eigen::Index count = positions.cols();
  std::vector<double> ratios(variables.parameters());
  if (count < 2 || error.isZero(0)) return ratios;
  const auto freedom = static_cast<double>(count - 1);
  const bool known =
      count >= 3 * d && static_cast<std::size_t>(count) == draws_in(variables) &&
      static_cast<double>(count) * static_cast<double>(ratios.size()) * static_cast<double>(d) < most_products;
  const Cholesky factor(known ? Eigen::MatrixXd(product_transposed(positions, positions) / freedom)
                              : Eigen::MatrixXd::Identity(1, 1));
  if (!known || !factor.succeeded()) {
    const Eigen::ArrayXd variances = positions.rowwise().squaredNorm() / freedom;
    std::fill(ratios.begin(), ratios.end(), (error.rowwise().squaredNorm().array() / variances).maxCoeff());
    return ratios;
  }
  const Eigen::MatrixXd shifts = transposed_product(positions, factor.solve(error)) / freedom;
  constexpr std::size_t together = 64;
  for (std::size_t first = 0; first < ratios.size(); first += together) {
    const std::size_t some = std::min(together, ratios.size() - first);
    const Eigen::MatrixXd values = centred_variables(variables, first, some, static_cast<std::size_t>(count));
    const Eigen::ArrayXd variances = values.rowwise().squaredNorm() / freedom;
    const Eigen::ArrayXd errors = (values * shifts).rowwise().squaredNorm();
    for (std::size_t k = 0; k < some; ++k) {
      const auto at = static_cast<Eigen::Index>(k);
      ratios[first + k] = variances[at] > 0 ? errors[at] / variances[at] : 0.0;
    }
  }
  return ratios;
}

}  // namespace sgmcmc
