// Balancing groups, and sorting ratings by block and user.
#include "factors/ring/rating_blocks.hpp"

#include <algorithm>
#include <numeric>

namespace sgmcmc {

namespace {

/// The shard of each row.
std::vector<std::uint32_t> shard_of_rows(const ShardStarts& starts) {
  std::vector<std::uint32_t> shard(starts.back());
  for (std::uint32_t s = 0; s + 1 < starts.size(); ++s)
    std::fill(shard.begin() + starts[s], shard.begin() + starts[s + 1], s);
  return shard;
}

/// A range ends where its share of the ratings is reached.
ShardStarts balanced_groups(const std::vector<std::uint64_t>& counts, std::uint64_t total, std::uint32_t groups) {
  ShardStarts starts(groups + std::size_t{1}, static_cast<std::uint32_t>(counts.size()));
  std::uint64_t before = 0;
  std::uint32_t begun = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const std::uint64_t middle = before + counts[i] / 2;
    const auto group = std::min<std::uint32_t>(
        groups - 1, static_cast<std::uint32_t>(static_cast<double>(middle) / static_cast<double>(total) * groups));
    for (; begun <= group; ++begun) starts[begun] = static_cast<std::uint32_t>(i);
    before += counts[i];
  }
  return starts;
}

}  // namespace

FactorCut cut_into_groups(std::span<const Rating> ratings, FactorSize size, std::uint32_t groups) {
  std::vector<std::uint64_t> of_user(size.users), of_item(size.items);
  for (const Rating& rating : ratings) {
    ++of_user[rating.user];
    ++of_item[rating.item];
  }
  FactorCut cut;
  cut.ratings = ratings.size();
  for (const auto* counts : {&of_user, &of_item})
    for (const auto count : *counts) cut.most_ratings = std::max(cut.most_ratings, count);
  cut.users = balanced_groups(of_user, ratings.size(), groups);
  cut.items = balanced_groups(of_item, ratings.size(), groups);
  const auto user_group = shard_of_rows(cut.users), item_group = shard_of_rows(cut.items);
  cut.ratings_of_block.assign(std::size_t{groups} * groups, 0);
  for (const Rating& rating : ratings)
    ++cut.ratings_of_block[std::size_t{user_group[rating.user]} * groups + item_group[rating.item]];
  return cut;
}

RatingBlocks::RatingBlocks(std::span<const Rating> ratings, const FactorCut& cut, double offset, double scale)
    : groups_(cut.shards()), size_(cut.ratings), block_size_(cut.ratings_of_block), ratings_(ratings.size()) {
  const std::uint32_t users = cut.users.back(), groups = groups_;
  const auto user_group = shard_of_rows(cut.users), item_group = shard_of_rows(cut.items);
  std::vector<std::uint64_t> of_user(users);
  for (const Rating& rating : ratings) ++of_user[rating.user];
  // By user, which is stable, then by block.
  std::vector<std::uint64_t> start(users + std::size_t{1}), order(ratings.size());
  for (std::size_t u = 0; u < users; ++u) start[u + 1] = start[u] + of_user[u];
  for (std::uint64_t r = 0; r < ratings.size(); ++r) order[start[ratings[r].user]++] = r;
  const auto block_of = [&](const Rating& rating) {
    return std::size_t{user_group[rating.user]} * groups + item_group[rating.item];
  };
  rating_start_.assign(std::size_t{groups} * groups + 1, 0);
  for (const Rating& rating : ratings) ++rating_start_[block_of(rating) + 1];
  std::partial_sum(rating_start_.begin(), rating_start_.end(), rating_start_.begin());
  std::vector<std::uint64_t> next(rating_start_.begin(), rating_start_.end() - 1), sorted(ratings.size());
  for (const std::uint64_t r : order) sorted[next[block_of(ratings[r])]++] = r;
  run_start_.assign(rating_start_.size(), 0);
  for (std::size_t block = 0; block + 1 < rating_start_.size(); ++block) {
    for (std::uint64_t at = rating_start_[block]; at < rating_start_[block + 1]; ++at) {
      const Rating& rating = ratings[sorted[at]];
      ratings_[at] = {rating.item, static_cast<float>((static_cast<double>(rating.value) - offset) / scale)};
      if (at == rating_start_[block] || runs_.back().user != rating.user) runs_.push_back({rating.user, 0});
      ++runs_.back().count;
    }
    run_start_[block + 1] = runs_.size();
  }
}

RatingBlocks::Block RatingBlocks::block(std::uint32_t part, std::uint32_t group) const {
  const std::size_t at = std::size_t{group} * groups_ + (group + part) % groups_;
  return {std::span(runs_).subspan(run_start_[at], run_start_[at + 1] - run_start_[at]),
          std::span(ratings_).subspan(rating_start_[at], rating_start_[at + 1] - rating_start_[at]), rating_start_[at]};
}

std::uint64_t RatingBlocks::part_size(std::uint32_t part) const {
  std::uint64_t size = 0;
  for (std::uint32_t group = 0; group < groups_; ++group)
    size += block_size_[std::size_t{group} * groups_ + (group + part) % groups_];
  return size;
}

}  // namespace sgmcmc
