// Virtual shards of the rows: a fixed number of ranges of consecutive rows, each summed by one rank.
#pragma once

#include <cstdint>
#include <memory>

namespace sgmcmc {

class ShardRanks;  // src/plan/shard_ranks.hpp

struct RowShards {
  std::int64_t rows = 0;
  int shards = 1;
  std::shared_ptr<ShardRanks> others;  ///< sums the shards of other ranks; null: all shards are summed here

  std::int64_t first_row(int shard) const { return rows * shard / shards; }
  int shard_of(std::int64_t row) const { return static_cast<int>(((row + 1) * shards - 1) / rows); }
};

/// The first shard of a rank; those of the last rank end at `shards`.
inline int first_shard_of(int rank, int ranks, int shards) {
  return static_cast<int>(static_cast<std::int64_t>(shards) * rank / ranks);
}

/// The rows of one rank, consecutive: those of its shards.
struct RowShare {
  int rank = 0;
  int ranks = 1;
  int shards = 1;

  std::int64_t first_row(std::int64_t rows) const {
    return RowShards{rows, shards, nullptr}.first_row(first_shard_of(rank, ranks, shards));
  }
  std::int64_t end_row(std::int64_t rows) const {
    return RowShards{rows, shards, nullptr}.first_row(first_shard_of(rank + 1, ranks, shards));
  }
};

}  // namespace sgmcmc
