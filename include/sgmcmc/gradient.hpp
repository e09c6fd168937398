// How the gradient of the log posterior is estimated from minibatches.
#pragma once

#include <sgmcmc/dataset.hpp>
#include <sgmcmc/minibatch.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sgmcmc {

enum class Estimator : std::uint8_t {
  full,             ///< all rows at every evaluation
  minibatch,        ///< N/n times the sum over the batch
  control_variate,  ///< full gradient at a fixed centre, plus a minibatch estimate of the difference from it
  saga,             ///< as control_variate, with a centre per row: the position at its last visit; stores N x D numbers
  svrg,  ///< as control_variate, with the centre moved to the current position every `refresh_every` evaluations
};

struct GradientOptions {
  Estimator estimator = Estimator::minibatch;
  MinibatchOptions minibatch;
  /// control_variate: the centre on the unconstrained scale; empty: the mode, found by sample() before the chains
  /// start.
  std::vector<double> centre;
  /// svrg: evaluations between full passes; 0 means one epoch, N/n.
  std::uint64_t refresh_every = 0;
  /// saga: maximum size of its table.
  std::uint64_t table_bytes_limit = std::uint64_t{8} << 30;
  /// Floating-point type of model evaluations; parameters and sums over chunks of rows are always double.
  Precision precision = Precision::float64;
  /// Rows per tile; 0: automatic. Does not affect results.
  int tile_rows = 0;

  void validate(std::int64_t rows, std::int64_t dimension) const;  ///< throws OptionError naming the option
};

/// "full", "minibatch", "cv", "saga", "svrg".
std::span<const Estimator> all_estimators();
std::string_view estimator_name(Estimator estimator);
Estimator estimator_by_name(std::string_view name);  ///< throws OptionError listing the names

}  // namespace sgmcmc
