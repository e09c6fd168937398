// Mean and precision of the rows of one side, drawn given the rows: the normal-Wishart distribution.
#pragma once

#include "factors/factor_state.hpp"

#include <sgmcmc/random.hpp>

#include <Eigen/Core>

namespace sgmcmc {

/// Lambda ~ Wishart(identity, size), mu ~ N(0, (mean_weight Lambda)^-1), as in Salakhutdinov and Mnih 2008.
struct NormalWishart {
  static constexpr double mean_weight = 2.0;

  /// products: the summed products of the rows, each with a 1 appended. Takes normals from the key's stream, and gammas
  /// from that of the next iteration.
  static NormalPrior draw_given(const Eigen::MatrixXd& products, const StreamKey& key);
  /// Lambda ~ Wishart(inverse_scale^-1, degrees), from size^2 normals and the key's stream of gammas.
  static Eigen::MatrixXd draw_precision(const Eigen::MatrixXd& inverse_scale, double degrees, const double* normals,
                                        const StreamKey& gammas);
  /// From the prior itself.
  static NormalPrior draw(Eigen::Index size, const StreamKey& key);
};

}  // namespace sgmcmc
