// The current draw of a factorisation: a row of numbers for each user and each item, their normal priors, the noise.
#pragma once

#include <sgmcmc/state.hpp>
#include "base/memory.hpp"

#include <sgmcmc/factorize.hpp>

#include <Eigen/Core>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sgmcmc {

/// N(mean, precision^-1), of the rows of one side; or mean and precision of exponential numbers, then diagonal.
struct NormalPrior {
  Eigen::VectorXd mean;
  Eigen::MatrixXd precision;
};

/// Shape of the rows: factors, then the bias if there is one, then 1, then zeros up to a whole pack. The 1 makes sums
/// of rows a part of their products.
struct RowShape {
  std::size_t factors = 0;
  bool biases = false;

  std::size_t size() const { return factors + (biases ? 1 : 0); }
  std::size_t stride() const { return (size() + 1 + 7) / 8 * 8; }
};

struct FactorSide {
  RowShape shape;
  std::size_t count = 0;
  AlignedBuffer<double> numbers;
  NormalPrior prior;
  // With side features: row i has the prior mean prior.mean + weights' features_i, which is row i of row_means.
  Eigen::MatrixXd weights;      // features x numbers of a row; empty: no side features
  double weight_precision = 1;  // row k of weights ~ N(0, (weight_precision Lambda)^-1)
  std::vector<double> row_means;

  FactorSide(std::size_t rows, RowShape row_shape) : shape(row_shape), count(rows), numbers(rows * row_shape.stride()) {
    const auto size = static_cast<Eigen::Index>(shape.size());
    prior.mean.setZero(size);
    prior.precision.setIdentity(size, size);
    for (std::size_t i = 0; i < count; ++i) row(i)[shape.size()] = 1.0;
  }
  double* row(std::size_t i) { return numbers.data() + i * shape.stride(); }
  const double* row(std::size_t i) const { return numbers.data() + i * shape.stride(); }

  void use_features(std::size_t columns) {
    if (columns == 0) return;
    weights.setZero(static_cast<Eigen::Index>(columns), static_cast<Eigen::Index>(shape.size()));
    weight_precision = static_cast<double>(columns);
    row_means.assign(count * shape.size(), 0.0);
  }

  void visit_state(StateVisitor& visitor) {
    visitor.visit_numbers("rows", numbers.span());
    visitor.visit_numbers("prior_mean", {prior.mean.data(), static_cast<std::size_t>(prior.mean.size())});
    visitor.visit_numbers("prior_precision",
                          {prior.precision.data(), static_cast<std::size_t>(prior.precision.size())});
    if (weights.size() == 0) return;
    visitor.visit_numbers("weights", {weights.data(), static_cast<std::size_t>(weights.size())});
    visitor.visit("weight_precision", weight_precision);
  }
};

/// Gaussian: ratings are x = offset + scale * (a + b + u . v) plus noise of precision noise_precision / scale^2. Other
/// observations have a law with parameter x (observation_law.hpp).
struct FactorState {
  FactorSide users, items;
  double noise_precision = 1.0;
  double offset = 0.0, scale = 1.0;
  double noise_unit = 1.0;        ///< of the variance of the noise, in units of scale^2, for its prior
  double least_parameter = 1e-6;  ///< poisson, stable: below any that a rating lets a chain reach
  Observations observations = Observations::gaussian;
  double alpha = 1.5;  // stable

  FactorState(std::size_t user_count, std::size_t item_count, RowShape shape)
      : users(user_count, shape), items(item_count, shape) {}

  /// On the scale of the ratings.
  double parameter(std::size_t user, std::size_t item) const {
    const double* u = users.row(user);
    const double* v = items.row(item);
    const std::size_t factors = users.shape.factors;
    double sum = users.shape.biases ? u[factors] + v[factors] : 0.0;
    for (std::size_t k = 0; k < factors; ++k) sum += u[k] * v[k];
    return offset + scale * sum;
  }
  void visit_state(StateVisitor& visitor) {
    users.visit_state(visitor);
    items.visit_state(visitor);
    visitor.visit("noise_precision", noise_precision);
  }
};

}  // namespace sgmcmc
