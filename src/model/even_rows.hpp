// Equal-probability samples of rows that are cheap to read and represent the whole data set.
#pragma once

#include <sgmcmc/minibatch.hpp>
#include <sgmcmc/model.hpp>

#include <cstdint>

namespace sgmcmc {

/// Batches of `count` rows, all rows equally likely. If the rows are in random order the batch is a slice of
/// consecutive rows, because they may have to be read from disk.
inline MinibatchOptions even_rows(const Model& model, std::int64_t count) {
  MinibatchOptions options;
  options.batch_size = count;
  if (model.data().in_random_order()) options.sampling = RowSampling::slices;
  return options;
}

/// If rows are in random order, a slice of this many estimates sums over all rows to about one part in a thousand.
inline constexpr std::int64_t rows_of_slice = 1'000'000;

/// Whether to use slices instead of all rows, which may have to be read from disk.
inline bool slices_stand_for_all(const Model& model) {
  return model.data().in_random_order() && model.rows() >= rows_of_slice;
}

}  // namespace sgmcmc
