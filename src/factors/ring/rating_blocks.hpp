// Ratings in blocks for the ring schedule: users and items in B groups each, block (b, c) the ratings of users in group
// b for items in group c. Part p of the ratings, the blocks (b, b + p mod B), has every user and every item in at most
// one block: its blocks can be visited concurrently, and the result does not depend on which thread or rank visits
// them.
#pragma once

#include "factors/factor_ranks.hpp"

#include <sgmcmc/ratings.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace sgmcmc {

struct BlockRating {
  std::uint32_t item = 0;
  float value = 0;
};

/// The ratings of one user in a block.
struct BlockRun {
  std::uint32_t user = 0;
  std::uint32_t count = 0;
};

/// Groups are ranges of users, and of items, with about as many ratings each.
FactorCut cut_into_groups(std::span<const Rating> ratings, FactorSize size, std::uint32_t groups);

class RatingBlocks {
 public:
  /// Blocks of all ratings, or of those of some groups of users: other blocks are then empty, and sizes are those of
  /// all ratings. Values are (rating - offset) / scale.
  RatingBlocks(std::span<const Rating> ratings, const FactorCut& cut, double offset, double scale);
  RatingBlocks(std::span<const Rating> ratings, std::uint32_t users, std::uint32_t items, std::uint32_t groups,
               double offset, double scale)
      : RatingBlocks(ratings, cut_into_groups(ratings, {users, items}, groups), offset, scale) {}

  std::uint32_t groups() const { return groups_; }
  std::uint64_t size() const { return size_; }
  std::uint64_t part_size(std::uint32_t part) const;

  struct Block {
    std::span<const BlockRun> runs;
    std::span<const BlockRating> ratings;  ///< run after run
    std::uint64_t first = 0;               ///< place of the first among all ratings
  };
  /// Block (group, group + part mod groups).
  Block block(std::uint32_t part, std::uint32_t group) const;

 private:
  std::uint32_t groups_;
  std::uint64_t size_;
  std::vector<std::uint64_t> block_size_;
  std::vector<BlockRating> ratings_;
  std::vector<BlockRun> runs_;
  std::vector<std::uint64_t> rating_start_, run_start_;  // of blocks, row after row
};

}  // namespace sgmcmc
