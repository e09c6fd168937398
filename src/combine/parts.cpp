// Moments of parts, and computations that several rules share.
#include "combine/parts.hpp"

#include "base/decompositions.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cmath>

namespace sgmcmc {
namespace {

Eigen::MatrixXd matrix_of(const std::vector<double>& chain, std::size_t dimension) {
  return Eigen::Map<const Eigen::MatrixXd>(chain.data(), static_cast<Eigen::Index>(dimension),
                                           static_cast<Eigen::Index>(chain.size() / dimension));
}

/// Throws DataError if the covariance of a part cannot be estimated from its draws.
void check_part(const Parts& parts, std::size_t part) {
  const std::string where = "part " + std::to_string(part + 1) + ": ";
  const auto draws = static_cast<std::size_t>(parts.all[part].cols());
  if (draws < parts.dimension + 3)
    throw DataError(where + std::to_string(draws) + " draws cannot tell the covariance of " +
                    std::to_string(parts.dimension) + " coordinates; sample the parts for longer");
  if (!parts.all[part].allFinite()) throw DataError(where + "some draws are not finite");
  if (!Cholesky(parts.moments[part].covariance).succeeded())
    throw DataError(where +
                    "the draws have no covariance matrix of full rank: a coordinate does not vary, or several move "
                    "together exactly");
}

/// Throws OptionError if there are fewer different draws than are asked for: repeated ones would look like independent
/// ones to every diagnostic.
void check_draws(const Parts& parts, const CombineOptions& options) {
  const bool moves = options.method == CombineMethod::consensus || options.method == CombineMethod::swiss ||
                     options.method == CombineMethod::barycentre;
  if (!moves || options.draws <= parts.draws) return;
  throw OptionError("draws is " + std::to_string(options.draws) + ", but the shortest chain of the parts has " +
                    std::to_string(parts.draws) + ", and " + std::string(combine_method_name(options.method)) +
                    " uses each draw once: ask for at most " + std::to_string(parts.draws) +
                    " draws of each chain, or sample the parts for longer");
}

}  // namespace

Parts make_parts(std::size_t dimension, const std::vector<PartDraws>& given, const CombineOptions& options) {
  options.validate();
  if (dimension == 0) throw DataError("there are no coordinates to combine");
  if (given.empty()) throw DataError("there are no parts to combine");
  Parts parts;
  parts.dimension = dimension;
  parts.chains = given.front().chains.size();
  parts.draws = static_cast<std::size_t>(-1);
  for (const auto& one : given) {
    parts.chains = std::min(parts.chains, one.chains.size());
    auto& chains = parts.chain_draws.emplace_back();
    Eigen::Index total = 0;
    for (const auto& chain : one.chains) {
      if (chain.size() % dimension != 0)
        throw DataError("part " + std::to_string(parts.chain_draws.size()) +
                        ": its draws do not have the coordinates of the model");
      parts.draws = std::min(parts.draws, chain.size() / dimension);
      chains.push_back(matrix_of(chain, dimension));
      total += chains.back().cols();
    }
    auto& all = parts.all.emplace_back(static_cast<Eigen::Index>(dimension), total);
    Eigen::Index at = 0;
    for (const auto& chain : chains) {
      all.middleCols(at, chain.cols()) = chain;
      at += chain.cols();
    }
    parts.moments.push_back(moments_of(all));
    check_part(parts, parts.count() - 1);
  }
  if (parts.chains == 0 || parts.draws == 0)
    throw DataError("some chain of some part has no draws; sample the parts again");
  check_draws(parts, options);
  if (options.draws > 0) parts.draws = options.draws;
  return parts;
}

NormalLaw moments_of(const Eigen::MatrixXd& draws) {
  NormalLaw law;
  if (draws.cols() == 0)
    return {Eigen::VectorXd::Zero(draws.rows()), Eigen::MatrixXd::Zero(draws.rows(), draws.rows())};
  law.mean = draws.rowwise().mean();
  const Eigen::MatrixXd centred = draws.colwise() - law.mean;
  law.covariance =
      product_transposed(centred, centred) / std::max<double>(1.0, static_cast<double>(draws.cols()) - 1.0);
  return law;
}

Eigen::MatrixXd estimated_precision(const Eigen::MatrixXd& covariance, std::size_t draws) {
  const auto n = static_cast<double>(draws), d = static_cast<double>(covariance.rows());
  return Cholesky(covariance).inverse() * ((n - d - 2.0) / (n - 1.0));
}

NormalLaw product_of(const Parts& parts) {
  const auto d = static_cast<Eigen::Index>(parts.dimension);
  Eigen::MatrixXd precision = Eigen::MatrixXd::Zero(d, d);
  Eigen::VectorXd weighted = Eigen::VectorXd::Zero(d);
  for (std::size_t s = 0; s < parts.count(); ++s) {
    const Eigen::MatrixXd own =
        estimated_precision(parts.moments[s].covariance, static_cast<std::size_t>(parts.all[s].cols()));
    precision += own;
    weighted += product(own, parts.moments[s].mean);
  }
  const Cholesky factor(precision);
  return {factor.solve(weighted), factor.inverse()};
}

CommonScale common_scale(const Parts& parts) {
  const NormalLaw whole = product_of(parts);
  const auto d = static_cast<Eigen::Index>(parts.dimension);
  Eigen::MatrixXd average = Eigen::MatrixXd::Zero(d, d);
  for (const auto& law : parts.moments) average += law.covariance / static_cast<double>(parts.count());
  const Eigen::MatrixXd root = Cholesky(average).lower();
  const Eigen::MatrixXd inverse = lower_solve(root, Eigen::MatrixXd::Identity(d, d));
  const auto [variances, turn] = symmetric_eigen(product_transposed(product(inverse, whole.covariance), inverse));
  return {whole.mean, transposed_product(turn, inverse), product(root, turn), Eigen::VectorXd::Zero(d), variances};
}

Eigen::MatrixXd square_root(const Eigen::MatrixXd& positive) {
  const auto [values, vectors] = symmetric_eigen(positive);
  return with_eigenvalues(vectors, values.cwiseMax(0.0).cwiseSqrt());
}

Eigen::MatrixXd transport(const Eigen::MatrixXd& from, const Eigen::MatrixXd& to) {
  const auto [values, vectors] = symmetric_eigen(from);
  const Eigen::VectorXd roots = values.cwiseSqrt();
  const Eigen::MatrixXd root = with_eigenvalues(vectors, roots);
  const Eigen::MatrixXd inverse = with_eigenvalues(vectors, roots.cwiseInverse());
  return product(product(inverse, square_root(product(product(root, to), root))), inverse);
}

std::vector<std::vector<double>> as_chains(const std::vector<Eigen::MatrixXd>& chains) {
  std::vector<std::vector<double>> result;
  for (const auto& chain : chains) result.emplace_back(chain.data(), chain.data() + chain.size());
  return result;
}

std::vector<Eigen::MatrixXd> moved_draws(const Parts& parts, const Eigen::VectorXd& mean,
                                         const std::vector<Eigen::MatrixXd>& maps) {
  std::vector<Eigen::MatrixXd> chains;
  for (std::size_t chain = 0; chain < parts.chains; ++chain) {
    auto& made =
        chains.emplace_back(static_cast<Eigen::Index>(parts.dimension), static_cast<Eigen::Index>(parts.draws));
    for (std::size_t t = 0; t < parts.draws; ++t) {
      const std::size_t s = t % parts.count();
      const auto& own = parts.chain_draws[s][chain];
      const auto from = own.col(static_cast<Eigen::Index>(t));
      made.col(static_cast<Eigen::Index>(t)) = plus_product(mean, maps[s], from - parts.moments[s].mean);
    }
  }
  return chains;
}

}  // namespace sgmcmc
