// How the rows of a minibatch are chosen.
#pragma once

#include <sgmcmc/shared_numbers.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sgmcmc {

enum class RowSampling : std::uint8_t {
  without_replacement,  ///< n distinct rows, redrawn every iteration (default)
  with_replacement,     ///< n independent rows
  shuffled_epochs,      ///< every row once per epoch, in a new random order each epoch
  weighted,             ///< n independent rows, row i with probability proportional to row_probabilities[i]
  slices,               ///< n consecutive rows from a random start, for data in random order
  preferential,  ///< weighted, with probabilities found at the mode by sample(): higher for rows with larger gradient
                 ///< variance
};

inline constexpr std::int64_t default_batch_size = 500;

struct WeightedRows;  // src/minibatch/weighted_rows.hpp

struct MinibatchOptions {
  std::int64_t batch_size = 0;  ///< rows per minibatch; 0: default_batch_size, or all rows if there are fewer
  RowSampling sampling = RowSampling::without_replacement;
  SharedNumbers row_probabilities;               ///< for weighted: one positive number per row, any scale
  std::shared_ptr<const WeightedRows> prepared;  ///< for the library: tables of row_probabilities, made once

  /// Rows per minibatch for a data set with this many rows.
  std::int64_t rows_of_batch(std::int64_t rows) const {
    return batch_size > 0 ? batch_size : std::min(default_batch_size, rows);
  }
  void validate(std::int64_t rows) const;  ///< throws OptionError naming the option
};

}  // namespace sgmcmc
