// Rows that stand for all of them, chosen so that they are cheap to read.
#pragma once

#include <sgmcmc/minibatch.hpp>
#include <sgmcmc/model.hpp>

#include <cstdint>

namespace sgmcmc {

/// So many rows, all equally likely: a slice where rows are in random order, since these may have to come from disk.
inline MinibatchOptions even_rows(const Model& model, std::int64_t count) {
  MinibatchOptions options;
  options.batch_size = count;
  if (model.data().in_random_order()) options.sampling = RowSampling::slices;
  return options;
}

}  // namespace sgmcmc
