// Divides a batch of rows among the shards; rows keep the order of the batch within each shard.
#pragma once

#include "minibatch/row_batch.hpp"
#include "ranks/row_shards.hpp"

#include <vector>

namespace sgmcmc {

class ShardParts {
 public:
  explicit ShardParts(const RowShards& shards)
      : shards_(shards), begins_(static_cast<std::size_t>(shards.shards) + 1) {}

  /// Valid until the next call, and as long as the batch is.
  void divide(const RowBatch& batch);
  RowBatch part(int shard) const;
  bool is_empty(int shard) const { return count(shard, shard + 1) == 0; }
  std::uint32_t count(int begin, int end) const {
    return begins_[static_cast<std::size_t>(end)] - begins_[static_cast<std::size_t>(begin)];
  }
  /// The rows of several shards, one shard after the other.
  RowBatch parts(int begin, int end) const;

 private:
  RowShards shards_;
  RowBatch batch_;
  std::vector<std::uint32_t> begins_;  // of each shard among the rows in the order of shards
  std::vector<std::uint32_t> places_;
  std::vector<std::uint32_t> indices_;
  std::vector<double> weights_;
};

}  // namespace sgmcmc
