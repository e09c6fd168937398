// How the rows of a minibatch are chosen.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sgmcmc {

enum class RowSampling : std::uint8_t {
  without_replacement,  ///< n different rows, anew every iteration (default)
  with_replacement,     ///< n independent rows
  shuffled_epochs,      ///< every row once per epoch, in a new random order each epoch
  weighted,             ///< n independent rows, row i with probability proportional to row_probabilities[i]
  preferential,  ///< weighted, with probabilities that sample() finds at the mode: most for rows that matter most
};

struct MinibatchOptions {
  std::int64_t batch_size = 0;  ///< rows per minibatch; 0 means min(500, N)
  RowSampling sampling = RowSampling::without_replacement;
  std::vector<double> row_probabilities;  ///< for weighted: one positive number per row, any scale

  void validate(std::int64_t rows) const;  ///< throws OptionError naming the option
};

}  // namespace sgmcmc
