// The prior of the rows of a side that has side features x_i (Simm et al., "Macau: scalable Bayesian factorization with
// high-dimensional side information using MCMC", 2017):
//
//   row_i ~ N(mu + W' x_i, Lambda^-1)     Lambda ~ Wishart(identity, size)     mu ~ N(0, (mean_weight Lambda)^-1)
//   rows of W ~ N(0, (beta Lambda)^-1)    beta ~ Gamma(1, 1 / features): the features together explain about as much as
//                                         they leave
//
// With x_i extended by a 1, (W, mu) and Lambda given the rows have a matrix normal Wishart distribution: it is drawn
// exactly, in one step, in place of the normal-Wishart distribution of normal_wishart.hpp.
#pragma once

#include "base/thread_pool.hpp"
#include "factors/factor_state.hpp"
#include "factors/ratings/side_features.hpp"

#include <sgmcmc/random.hpp>

#include <Eigen/Core>

namespace sgmcmc {

class FeaturePrior {
 public:
  explicit FeaturePrior(FeatureRows features);

  bool empty() const { return features_.columns == 0; }
  /// Draws precision, mean and weights, then the precision of the weights, and sets row_means. products: the summed
  /// products of the rows, each with a 1 appended. Takes normals from the key's stream, and gammas from that of the
  /// next iteration.
  void draw_given(const Eigen::MatrixXd& products, FactorSide& side, const StreamKey& key, ThreadPool& pool) const;

  // The stages, for tests.
  void draw_weights(const Eigen::MatrixXd& products, FactorSide& side, const StreamKey& key, ThreadPool& pool) const;
  void draw_weight_precision(FactorSide& side, const StreamKey& key) const;

 private:
  void set_row_means(FactorSide& side, ThreadPool& pool) const;

  FeatureRows features_;
  Eigen::MatrixXd gram_;  // of features, each with a 1 appended
};

}  // namespace sgmcmc
