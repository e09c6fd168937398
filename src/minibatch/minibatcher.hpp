// Chooses the rows of every minibatch, and those of the next one for prefetching.
#pragma once

#include "minibatch/distinct_rows.hpp"
#include "minibatch/row_batch.hpp"
#include "minibatch/slice_reader.hpp"
#include "minibatch/weighted_rows.hpp"

#include <sgmcmc/minibatch.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace sgmcmc {

/// The rows of evaluation t depend on (seed, chain, t) alone: asking in another order, twice, or after a restart gives
/// the same rows. Nothing is allocated after construction. Not safe to share between threads.
class Minibatcher {
 public:
  /// `rows` is from 0 to 2^32 - 1. pages: of the file from which slices are read ahead, which must outlive this; null:
  /// the rows are in memory. Throws OptionError if the options are invalid.
  Minibatcher(std::int64_t rows, const MinibatchOptions& options, std::uint64_t seed, std::uint32_t chain,
              RowPages* pages = nullptr);

  /// The same choice of rows for another chain; tables of row probabilities are shared, not built again.
  Minibatcher for_chain(std::uint32_t chain) const;

  Minibatcher(Minibatcher&&) noexcept = default;
  Minibatcher(const Minibatcher&) = delete;
  Minibatcher& operator=(const Minibatcher&) = delete;

  /// Valid until the next call. next_indices holds the rows of evaluation + 1, which the next call reuses if it asks
  /// for that evaluation. If a batch is the full data, it is all rows in order and there is nothing to prefetch.
  const RowBatch& batch(std::uint64_t evaluation);

  std::uint32_t batch_size() const { return count_; }
  std::int64_t rows() const { return rows_; }
  const SliceReader* reader() const { return reader_.get(); }

 private:
  struct Slot {
    std::optional<std::uint64_t> evaluation;
    std::vector<std::uint32_t> indices;
    std::vector<double> weights;
    bool is_stretch = false;  ///< slices only: the batch is rows [first, first + n); otherwise it is `indices`
    std::uint32_t first = 0;
  };

  Minibatcher(std::uint32_t rows, std::uint32_t count, RowSampling sampling,
              std::shared_ptr<const WeightedRows> weighted, std::uint64_t seed, std::uint32_t chain);
  void choose(std::uint64_t evaluation, Slot& slot);
  void choose_from_epochs(std::uint64_t evaluation, Slot& slot) const;
  void choose_weighted(std::uint64_t evaluation, Slot& slot);
  void choose_slice(std::uint64_t evaluation, Slot& slot) const;
  SliceStream slices() const { return {rows_, count_, seed_, chain_}; }

  std::uint32_t rows_;
  std::uint32_t count_;
  RowSampling sampling_;
  std::uint64_t seed_;
  std::uint32_t chain_;
  std::shared_ptr<const WeightedRows> weighted_;  ///< weighted only
  std::optional<DistinctRows> distinct_;          ///< without replacement only
  std::vector<double> uniforms_;                  ///< weighted only: two per row
  std::array<Slot, 2> slots_;
  std::unique_ptr<SliceReader> reader_;  ///< of slices in a file; may be null
  RowBatch batch_;
};

}  // namespace sgmcmc
