// Tables for drawing rows with given probabilities: 16 bytes per row, shared between chains and batch sizes.
#pragma once

#include "minibatch/alias_table.hpp"

#include <sgmcmc/minibatch.hpp>
#include <sgmcmc/shared_numbers.hpp>

namespace sgmcmc {

struct WeightedRows {
  explicit WeightedRows(const SharedNumbers& given)
      : probabilities(given), table(given.values()), probability(table.probabilities()) {}

  SharedNumbers probabilities;  ///< as given; kept so that its identity() is not reused by other numbers
  AliasTable table;
  AlignedBuffer<double> probability;  ///< probability with which the table draws each row
};

/// The tables for these options. Returns options.prepared if it was built from the same probabilities.
std::shared_ptr<const WeightedRows> weighted_rows(const MinibatchOptions& options);

}  // namespace sgmcmc
