// Draws of all parts as matrices, their moments, and the product of their normal approximations.
#pragma once

#include <sgmcmc/combine.hpp>

#include <Eigen/Core>

#include <vector>

namespace sgmcmc {

struct NormalLaw {
  Eigen::VectorXd mean;
  Eigen::MatrixXd covariance;
};

struct Parts {
  std::size_t dimension = 0;
  std::size_t chains = 0;                                 ///< of the combination
  std::size_t draws = 0;                                  ///< of each of its chains
  std::vector<std::vector<Eigen::MatrixXd>> chain_draws;  ///< of each part and chain: a column for each draw
  std::vector<Eigen::MatrixXd> all;                       ///< of each part: the draws of its chains, one after another
  std::vector<NormalLaw> moments;                         ///< of each part

  std::size_t count() const { return all.size(); }
};

/// Throws DataError and OptionError as combine_draws() does.
Parts make_parts(std::size_t dimension, const std::vector<PartDraws>& given, const CombineOptions& options);

/// Moments of the columns.
NormalLaw moments_of(const Eigen::MatrixXd& draws);

/// The inverse of a covariance matrix estimated from this many draws, unbiased if these are independent and normal.
Eigen::MatrixXd estimated_precision(const Eigen::MatrixXd& covariance, std::size_t draws);

/// The normal distribution proportional to the product of the normal approximations of the parts.
NormalLaw product_of(const Parts& parts);

/// Coordinates in which parts have about unit covariance, and their product has a diagonal one.
struct CommonScale {
  Eigen::VectorXd centre;
  Eigen::MatrixXd to, from;  ///< x = to (theta - centre), theta = centre + from x
  Eigen::VectorXd product_mean, product_variance;
};
CommonScale common_scale(const Parts& parts);

/// Symmetric positive definite A with A from A = to, the optimal transport between normal laws.
Eigen::MatrixXd transport(const Eigen::MatrixXd& from, const Eigen::MatrixXd& to);
Eigen::MatrixXd square_root(const Eigen::MatrixXd& positive);  ///< symmetric

/// Draws of each chain, in the form of the result; columns of matrices are draws.
std::vector<std::vector<double>> as_chains(const std::vector<Eigen::MatrixXd>& chains);

/// For each chain, `draws` draws, taken from the parts in turn and moved by x -> mean + map_s (x - mean_s).
std::vector<Eigen::MatrixXd> moved_draws(const Parts& parts, const Eigen::VectorXd& mean,
                                         const std::vector<Eigen::MatrixXd>& maps);

}  // namespace sgmcmc
