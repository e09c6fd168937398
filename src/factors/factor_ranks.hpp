// Ranks that share a factorisation: who has which rows, and how rows travel.
//
// Users and items are cut into shards of consecutive rows, and a rank owns some consecutive shards of each. A rank
// holds the ratings of its users and those of its items, and draws or moves its rows only. Rows are drawn from streams
// of their own and never summed across shards in an order that depends on the ranks, so draws have the same bits for
// every number of ranks.
#pragma once

#include "factors/factor_state.hpp"
#include "factors/ratings/side_features.hpp"
#include "ranks/communicator.hpp"

#include <sgmcmc/factorize.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sgmcmc {

/// Users and items beyond those with ratings have rows all the same, drawn from the prior.
struct FactorSize {
  std::uint32_t users = 0, items = 0;
};

struct RowRange {
  std::size_t begin = 0, end = 0;
  bool contains(std::size_t row) const { return row >= begin && row < end; }
};

/// The first row of each shard, and the end of the last.
using ShardStarts = std::vector<std::uint32_t>;

/// Which rows belong together, and numbers about all ratings that a rank cannot find from its own.
struct FactorCut {
  ShardStarts users, items;
  std::uint64_t ratings = 0;
  std::uint64_t most_ratings = 1;               ///< ring: of a user or an item
  std::vector<std::uint64_t> ratings_of_block;  ///< ring: of users in shard b for items in shard c, at b shards + c

  std::uint32_t shards() const { return static_cast<std::uint32_t>(users.size() - 1); }
};

/// Shards of the rows for Gibbs sampling, in whole groups of eight rows, with about as many ratings each; or the groups
/// of rows of the ring (ring/rating_blocks.hpp).
FactorCut cut_for(std::span<const Rating> ratings, FactorSize size, const FactorOptions& options);

/// Exchanges of arrays that have an entry, or several, for every row or shard.
class FactorRanks {
 public:
  explicit FactorRanks(Communicator* ranks = nullptr) : ranks_(ranks) {}

  int rank() const { return ranks_ ? ranks_->rank() : 0; }
  int size() const { return ranks_ ? ranks_->size() : 1; }
  Communicator& communicator() const { return *ranks_; }

  int owner(std::uint32_t shard, std::uint32_t shards) const;
  RowRange own_shards(std::uint32_t shards) const { return shards_of(rank(), shards); }
  RowRange own_rows(const ShardStarts& starts) const { return rows_of(rank(), starts); }

  /// An array: bytes of an entry, and the first entry of each shard.
  struct Part {
    char* data = nullptr;
    std::size_t entry_bytes = 0;
    const ShardStarts* starts = nullptr;
  };
  template <class T>
  static Part part(T* data, std::size_t per_entry, const ShardStarts& starts) {
    return {reinterpret_cast<char*>(data), per_entry * sizeof(T), &starts};
  }
  /// Every rank has its own entries before, and all entries afterwards. Called by all ranks.
  void share(std::span<const Part> parts) const;
  /// Rank 0 has all entries afterwards. Called by all ranks.
  void collect(std::span<const Part> parts) const;

 private:
  RowRange shards_of(int rank, std::uint32_t shards) const;
  RowRange rows_of(int rank, const ShardStarts& starts) const;
  std::string bytes_of(int rank, std::span<const Part> parts) const;
  void take(int rank, std::span<const Part> parts, std::string_view bytes) const;

  Communicator* ranks_;
};

/// What a chain is made from: all ratings, or those of one rank.
struct FactorShare {
  std::span<const Rating> of_users, of_items;  ///< of the users, and of the items, of this rank
  FactorCut cut;
  FactorState initial;
  FactorRanks ranks;
  std::vector<Rating> user_ratings, item_ratings;  ///< where of_users and of_items are, on several ranks
  /// Random numbers that ratings of rows before those of this rank take in an iteration, of users and of items.
  std::uint64_t before_users = 0, before_items = 0;
  FeatureRows user_features = {}, item_features = {};  ///< of all rows

  static FactorShare whole(std::span<const Rating> ratings, FactorSize size, const FactorOptions& options);
};

}  // namespace sgmcmc
