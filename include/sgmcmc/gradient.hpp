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
  full,             ///< every row, every time
  minibatch,        ///< N/n times the sum over the batch
  control_variate,  ///< full gradient at a fixed centre plus the minibatch estimate of the difference to it
  saga,             ///< as above, the centre of each row being where that row was last visited; keeps N x D numbers
  svrg,             ///< as control_variate, the centre moved to the chain's position every `refresh_every` evaluations
};

struct GradientOptions {
  Estimator estimator = Estimator::minibatch;
  MinibatchOptions minibatch;
  /// control_variate: the centre on the unconstrained scale; empty: the mode, found by sample() before the chains
  /// start.
  std::vector<double> centre;
  /// svrg: evaluations between full passes; 0 means one epoch, N/n.
  std::uint64_t refresh_every = 0;
  /// saga: refuse to keep a table larger than this.
  std::uint64_t table_bytes_limit = std::uint64_t{8} << 30;
  /// Arithmetic of the model; parameters and sums over chunks of rows are always double.
  Precision precision = Precision::float64;
  /// Rows per tile; 0 chooses. Never changes results.
  int tile_rows = 0;

  void validate(std::int64_t rows, std::int64_t dimension) const;  ///< throws OptionError naming the option
};

/// "full", "minibatch", "cv", "saga", "svrg".
std::span<const Estimator> all_estimators();
std::string_view estimator_name(Estimator estimator);
Estimator estimator_by_name(std::string_view name);  ///< throws OptionError listing the names

}  // namespace sgmcmc
