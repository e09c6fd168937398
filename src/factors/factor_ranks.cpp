// Cutting rows into shards, and exchanging what ranks have of an array.
#include "factors/factor_ranks.hpp"

#include "factors/factor_chain.hpp"
#include "factors/ring/rating_blocks.hpp"
#include "ranks/row_shards.hpp"

#include <algorithm>
#include <cstring>

namespace sgmcmc {

namespace {

/// Shards that begin at multiples of eight rows and have about the same number of ratings. A row costs as much as
/// several ratings even if it has none.
ShardStarts balanced_shards(const std::vector<std::uint64_t>& counts, std::uint32_t shards) {
  constexpr std::uint64_t row_cost = 8, together = 8;
  std::uint64_t total = 0, before = 0;
  for (const auto count : counts) total += count + row_cost;
  ShardStarts starts(shards + std::size_t{1}, static_cast<std::uint32_t>(counts.size()));
  std::uint32_t shard = 0;
  for (std::size_t row = 0; row < counts.size(); ++row) {
    if (row % together == 0)
      while (shard < shards && before * shards >= total * shard) starts[shard++] = static_cast<std::uint32_t>(row);
    before += counts[row] + row_cost;
  }
  return starts;
}

}  // namespace

FactorCut cut_for(std::span<const Rating> ratings, FactorSize size, const FactorOptions& options) {
  if (options.method != FactorMethod::gibbs) return cut_into_groups(ratings, size, options.blocks);
  std::vector<std::uint64_t> of_user(size.users), of_item(size.items);
  for (const Rating& rating : ratings) {
    ++of_user[rating.user];
    ++of_item[rating.item];
  }
  FactorCut cut;
  cut.ratings = ratings.size();
  cut.users = balanced_shards(of_user, options.shards);
  cut.items = balanced_shards(of_item, options.shards);
  return cut;
}

int FactorRanks::owner(std::uint32_t shard, std::uint32_t shards) const {
  int rank = 0;
  while (shards_of(rank, shards).end <= shard) ++rank;
  return rank;
}

RowRange FactorRanks::shards_of(int rank, std::uint32_t shards) const {
  return {static_cast<std::size_t>(first_shard_of(rank, size(), static_cast<int>(shards))),
          static_cast<std::size_t>(first_shard_of(rank + 1, size(), static_cast<int>(shards)))};
}

RowRange FactorRanks::rows_of(int rank, const ShardStarts& starts) const {
  const RowRange shards = shards_of(rank, static_cast<std::uint32_t>(starts.size() - 1));
  return {starts[shards.begin], starts[shards.end]};
}

std::string FactorRanks::bytes_of(int rank, std::span<const Part> parts) const {
  std::string bytes;
  for (const Part& part : parts) {
    const RowRange rows = rows_of(rank, *part.starts);
    bytes.append(part.data + rows.begin * part.entry_bytes, (rows.end - rows.begin) * part.entry_bytes);
  }
  return bytes;
}

void FactorRanks::take(int rank, std::span<const Part> parts, std::string_view bytes) const {
  for (const Part& part : parts) {
    const RowRange rows = rows_of(rank, *part.starts);
    const std::size_t size = (rows.end - rows.begin) * part.entry_bytes;
    if (size > bytes.size()) throw RankError(ranks_->name_of(rank) + " has other rows than this one");
    if (size > 0) std::memcpy(part.data + rows.begin * part.entry_bytes, bytes.data(), size);
    bytes.remove_prefix(size);
  }
}

void FactorRanks::share(std::span<const Part> parts) const {
  if (size() == 1) return;
  const std::string own = bytes_of(rank(), parts);
  std::vector<Posting> messages;
  std::vector<int> others;
  for (int step = 1; step < size(); ++step) {
    const int other = (rank() + step) % size();
    messages.push_back({other, own});
    others.push_back(other);
  }
  const auto received = ranks_->exchange(channel::factors, messages, others);
  for (std::size_t i = 0; i < others.size(); ++i) take(others[i], parts, received[i]);
}

void FactorRanks::collect(std::span<const Part> parts) const {
  if (size() == 1) return;
  if (rank() > 0) return ranks_->send(0, channel::factors, bytes_of(rank(), parts));
  for (int other = 1; other < size(); ++other) take(other, parts, ranks_->receive(other, channel::factors));
}

FactorShare FactorShare::whole(std::span<const Rating> ratings, FactorSize size, const FactorOptions& options) {
  return {.of_users = ratings,
          .of_items = ratings,
          .cut = cut_for(ratings, size, options),
          .initial = initial_factors(ratings, size, options),
          .ranks = FactorRanks(),
          .user_ratings = {},
          .item_ratings = {}};
}

}  // namespace sgmcmc
