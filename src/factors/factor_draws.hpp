// Draws of factors that are kept, in single precision: what predictions are made from.
#pragma once

#include <sgmcmc/state.hpp>
#include "factors/factor_state.hpp"
#include "factors/observation_law.hpp"
#include "factors/ratings/side_features.hpp"

#include <sgmcmc/factorize.hpp>

#include <cstdint>
#include <vector>

namespace sgmcmc {

struct FactorModel::Parts {
  RowShape shape;
  std::uint32_t users = 0, items = 0, draws = 0;
  double offset = 0, scale = 1, interval = 0.9;
  ObservationLaw law{Observations::gaussian, 1.5};
  double alpha = 1.5;                       ///< of stable observations
  std::vector<float> user_rows, item_rows;  ///< draw after draw, row after row
  /// Of each draw: precision of the noise, then mean and covariance of users, mean and covariance of items.
  std::vector<double> priors;
  /// Side features: weights of each draw, features x numbers of a row, feature after feature.
  struct Features {
    FeatureScale scale;
    std::vector<double> weights;
  };
  Features user_features, item_features;
  Ratings ids{nullptr};

  std::size_t numbers_of_prior() const { return 1 + 2 * shape.size() * (1 + shape.size()); }
  void add(const FactorState& draw);
  void visit_state(StateVisitor& visitor);
};

/// Throws OptionError unless it is between 0 and 1.
void check_interval(double probability);

}  // namespace sgmcmc
