// Counts the rows of each shard, then sorts them by shard.
#include "plan/shard_parts.hpp"

#include <algorithm>

namespace sgmcmc {

void ShardParts::divide(const RowBatch& batch) {
  batch_ = batch;
  const int shards = shards_.shards;
  if (!batch.indices) {  // consecutive rows are in that order already
    const std::int64_t last = std::int64_t{batch.first} + batch.count;
    for (int shard = 0; shard <= shards; ++shard) {
      const std::int64_t row = std::clamp<std::int64_t>(shards_.first_row(shard), batch.first, last);
      begins_[static_cast<std::size_t>(shard)] = static_cast<std::uint32_t>(row - batch.first);
    }
    return;
  }
  std::fill(begins_.begin(), begins_.end(), 0);
  places_.resize(batch.count);
  indices_.resize(batch.count);
  if (batch.weights) weights_.resize(batch.count);
  for (std::uint32_t i = 0; i < batch.count; ++i) {
    places_[i] = static_cast<std::uint32_t>(shards_.shard_of(batch.indices[i]));
    ++begins_[places_[i] + 1];
  }
  for (std::size_t shard = 1; shard < begins_.size(); ++shard) begins_[shard] += begins_[shard - 1];
  for (std::uint32_t i = 0; i < batch.count; ++i) {
    const std::uint32_t to = begins_[places_[i]]++;
    indices_[to] = batch.indices[i];
    if (batch.weights) weights_[to] = batch.weights[i];
  }
  // Each has advanced to the beginning of the next.
  for (std::size_t shard = begins_.size() - 1; shard > 0; --shard) begins_[shard] = begins_[shard - 1];
  begins_[0] = 0;
}

RowBatch ShardParts::part(int shard) const { return parts(shard, shard + 1); }

RowBatch ShardParts::parts(int begin, int end) const {
  RowBatch some = batch_;
  const std::uint32_t from = begins_[static_cast<std::size_t>(begin)];
  some.count = count(begin, end);
  some.next_indices = nullptr;
  some.next_count = 0;
  if (batch_.indices) {
    some.indices = indices_.data() + from;
    if (batch_.weights) some.weights = weights_.data() + from;
  } else {
    some.first += from;
    if (batch_.weights) some.weights += from;
  }
  return some;
}

}  // namespace sgmcmc
