// Balancing groups, and sorting ratings by block and user.
#include "factors/rating_blocks.hpp"

#include <algorithm>
#include <numeric>

namespace sgmcmc {

namespace {

/// The group of each row: ranges that end where their share of the ratings is reached.
std::vector<std::uint32_t> balanced_groups(const std::vector<std::uint64_t>& counts, std::uint64_t total,
                                           std::uint32_t groups) {
  std::vector<std::uint32_t> group(counts.size());
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const std::uint64_t middle = before + counts[i] / 2;
    group[i] = std::min<std::uint32_t>(
        groups - 1, static_cast<std::uint32_t>(static_cast<double>(middle) / static_cast<double>(total) * groups));
    before += counts[i];
  }
  return group;
}

}  // namespace

RatingBlocks::RatingBlocks(std::span<const Rating> ratings, std::uint32_t users, std::uint32_t items,
                           std::uint32_t groups, double offset, double scale)
    : groups_(groups), ratings_(ratings.size()) {
  std::vector<std::uint64_t> of_user(users), of_item(items);
  for (const Rating& rating : ratings) {
    ++of_user[rating.user];
    ++of_item[rating.item];
  }
  const auto user_group = balanced_groups(of_user, ratings.size(), groups);
  const auto item_group = balanced_groups(of_item, ratings.size(), groups);
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
  for (std::uint32_t group = 0; group < groups_; ++group) size += block(part, group).ratings.size();
  return size;
}

}  // namespace sgmcmc
