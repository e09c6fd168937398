// What drawing rows by their probabilities takes: 16 bytes a row, shared by chains and batch sizes.
#pragma once

#include "minibatch/alias_table.hpp"

#include <sgmcmc/minibatch.hpp>
#include <sgmcmc/shared_numbers.hpp>

namespace sgmcmc {

struct WeightedRows {
  explicit WeightedRows(const SharedNumbers& given)
      : probabilities(given), table(given.values()), probability(table.probabilities()) {}

  SharedNumbers probabilities;  ///< as given; kept, so that its identity stays its own
  AliasTable table;
  AlignedBuffer<double> probability;  ///< with which the table gives each row
};

/// The tables of these options: those prepared before, where they are of the same numbers.
std::shared_ptr<const WeightedRows> weighted_rows(const MinibatchOptions& options);

}  // namespace sgmcmc
