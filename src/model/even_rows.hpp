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

/// Where rows are in random order, a slice of so many tells what sums over all of them are to about a thousandth.
inline constexpr std::int64_t rows_of_slice = 1'000'000;

/// Whether slices are used in place of all rows, which may have to come from disk.
inline bool slices_stand_for_all(const Model& model) {
  return model.data().in_random_order() && model.rows() >= rows_of_slice;
}

}  // namespace sgmcmc
