// The row sampling schemes. Two alternating buffers hold the current batch and the next one, for prefetching.
#include "minibatch/minibatcher.hpp"

#include "base/permutation.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/random.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace sgmcmc {
namespace {

std::uint32_t checked_rows(std::int64_t rows) {
  if (rows < 0 || rows >= std::int64_t{1} << 32) {
    throw DataError(std::to_string(rows) + " rows; use 0 to 4294967295");
  }
  return static_cast<std::uint32_t>(rows);
}

std::uint32_t checked_count(std::int64_t rows, const MinibatchOptions& options) {
  options.validate(rows);
  if (options.sampling == RowSampling::preferential)
    throw OptionError(
        "sampling is preferential; only sample() and Chain find the probabilities of rows. Use weighted, "
        "with row_probabilities, or another sampling");
  return static_cast<std::uint32_t>(options.rows_of_batch(rows));
}

}  // namespace

Minibatcher::Minibatcher(std::int64_t rows, const MinibatchOptions& options, std::uint64_t seed, std::uint32_t chain,
                         RowPages* pages)
    : Minibatcher(checked_rows(rows), checked_count(rows, options), options.sampling, nullptr, seed, chain) {
  if (sampling_ == RowSampling::weighted) weighted_ = weighted_rows(options);
  if (sampling_ == RowSampling::slices && !slots_[0].indices.empty()) reader_ = SliceReader::make(pages, slices());
}

std::shared_ptr<const WeightedRows> weighted_rows(const MinibatchOptions& options) {
  if (options.prepared && options.prepared->probabilities.identity() == options.row_probabilities.identity())
    return options.prepared;
  return std::make_shared<const WeightedRows>(options.row_probabilities);
}

Minibatcher::Minibatcher(std::uint32_t rows, std::uint32_t count, RowSampling sampling,
                         std::shared_ptr<const WeightedRows> weighted, std::uint64_t seed, std::uint32_t chain)
    : rows_(rows), count_(count), sampling_(sampling), seed_(seed), chain_(chain), weighted_(std::move(weighted)) {
  batch_.count = count_;
  const bool different_rows = sampling == RowSampling::without_replacement ||
                              sampling == RowSampling::shuffled_epochs || sampling == RowSampling::slices;
  if (count_ == rows_ && (different_rows || rows_ == 0)) return;  // every batch is the full data
  if (sampling == RowSampling::without_replacement) distinct_.emplace(rows_, count_);
  if (sampling == RowSampling::weighted) uniforms_.resize(std::size_t{2} * count_);
  batch_.uniform_weight = static_cast<double>(rows_) / static_cast<double>(count_);
  batch_.next_count = count_;
  for (Slot& slot : slots_) {
    slot.indices.resize(count_);
    if (sampling == RowSampling::weighted) slot.weights.resize(count_);
  }
}

Minibatcher Minibatcher::for_chain(std::uint32_t chain) const {
  return Minibatcher(rows_, count_, sampling_, weighted_, seed_, chain);
}

const RowBatch& Minibatcher::batch(std::uint64_t evaluation) {
  if (slots_[0].indices.empty()) return batch_;
  Slot& now = slots_[1].evaluation == evaluation ? slots_[1] : slots_[0];
  Slot& next = &now == &slots_[0] ? slots_[1] : slots_[0];
  choose(evaluation, now);
  choose(evaluation + 1, next);
  batch_.indices = now.is_stretch ? nullptr : now.indices.data();
  batch_.first = now.first;
  batch_.next_first = next.first;
  batch_.weights = now.weights.empty() ? nullptr : now.weights.data();
  batch_.next_indices = next.is_stretch ? nullptr : next.indices.data();
  batch_.read = reader_ ? reader_->find(evaluation) : nullptr;
  return batch_;
}

void Minibatcher::choose(std::uint64_t evaluation, Slot& slot) {
  if (slot.evaluation == evaluation) return;
  slot.evaluation = evaluation;
  const StreamKey key{seed_, chain_, evaluation, Purpose::minibatch};
  switch (sampling_) {
    case RowSampling::without_replacement: return distinct_->fill(key, slot.indices);
    case RowSampling::with_replacement: return fill_below(key, rows_, slot.indices);
    case RowSampling::shuffled_epochs: return choose_from_epochs(evaluation, slot);
    case RowSampling::weighted: return choose_weighted(evaluation, slot);
    case RowSampling::slices: return choose_slice(evaluation, slot);
    case RowSampling::preferential: return;  // rejected by the constructor
  }
}

// Row j of the batch is at position evaluation * n + j in an endless sequence of epochs. A batch may span the end of
// one epoch and the start of the next, but never more, because n < N.
void Minibatcher::choose_from_epochs(std::uint64_t evaluation, Slot& slot) const {
  const std::uint64_t start = evaluation * count_;
  const std::uint64_t epoch = start / rows_;
  const auto first = static_cast<std::uint32_t>(start % rows_);
  const std::span<std::uint32_t> all(slot.indices);
  const std::size_t here = std::min<std::size_t>(count_, rows_ - first);
  Permutation(rows_, {seed_, chain_, epoch, Purpose::minibatch}).fill(first, all.first(here));
  if (here == count_) return;
  Permutation(rows_, {seed_, chain_, epoch + 1, Purpose::minibatch}).fill(0, all.subspan(here));
}

// Every row is in n of the N possible slices. A slice that begins near the end wraps around to the first row.
void Minibatcher::choose_slice(std::uint64_t evaluation, Slot& slot) const {
  slot.first = slices().first_row(evaluation);
  slot.is_stretch = slices().is_stretch(slot.first);
  if (slot.is_stretch) return;
  for (std::uint32_t j = 0; j < count_; ++j) {
    const std::uint32_t left = rows_ - slot.first;
    slot.indices[j] = j < left ? slot.first + j : j - left;
  }
  slot.first = 0;
}

void Minibatcher::choose_weighted(std::uint64_t evaluation, Slot& slot) {
  fill_uniform({seed_, chain_, evaluation, Purpose::minibatch}, uniforms_);
  const double* cell = uniforms_.data();
  const double* side = cell + count_;
  for (std::uint32_t j = 0; j < count_; ++j) slot.indices[j] = weighted_->table.pick(cell[j], side[j]);
  const double n = count_;
  for (std::uint32_t j = 0; j < count_; ++j) slot.weights[j] = 1 / (n * weighted_->probability[slot.indices[j]]);
}

}  // namespace sgmcmc
