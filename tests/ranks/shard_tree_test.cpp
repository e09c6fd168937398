// Sums along the tree over shards: every leaf is added once, and results are bit-identical however the tree is divided
// among ranks.
#include "ranks/shard_tree.hpp"
#include "ranks/row_shards.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace sgmcmc {
namespace {

/// Numbers of very different sizes, whose sum depends on the order of additions.
std::vector<std::vector<double>> leaves(int shards, std::size_t length) {
  std::mt19937_64 chance(static_cast<std::uint64_t>(shards));
  std::normal_distribution<double> normal;
  std::vector<std::vector<double>> all(static_cast<std::size_t>(shards), std::vector<double>(length));
  for (auto& leaf : all)
    for (double& x : leaf) x = normal(chance) * std::exp(8 * normal(chance));
  return all;
}

std::vector<double> whole_sum(const std::vector<std::vector<double>>& all, const std::vector<bool>& present) {
  ShardTree tree(static_cast<int>(all.size()), all[0].size());
  std::vector<double> out(all[0].size(), 0.0);
  tree.sum(out.data(), [&](int begin, int end, double* to) {
    if (end - begin > 1) return TreePart::divided;
    if (!present[static_cast<std::size_t>(begin)]) return TreePart::absent;
    std::copy(all[static_cast<std::size_t>(begin)].begin(), all[static_cast<std::size_t>(begin)].end(), to);
    return TreePart::written;
  });
  return out;
}

/// As ranks do it: each adds the largest parts inside its own shards, the first adds the rest.
std::vector<double> sum_by_ranks(const std::vector<std::vector<double>>& all, const std::vector<bool>& present,
                                 int ranks) {
  const int shards = static_cast<int>(all.size());
  const std::size_t length = all[0].size();
  std::vector<std::vector<std::vector<double>>> sent(static_cast<std::size_t>(ranks));
  std::vector<std::vector<std::pair<int, int>>> parts(static_cast<std::size_t>(ranks));
  ShardTree tree(shards, length);
  const auto leaf = [&](int begin, int end, double* to) {
    if (end - begin > 1) return TreePart::divided;
    if (!present[static_cast<std::size_t>(begin)]) return TreePart::absent;
    std::copy(all[static_cast<std::size_t>(begin)].begin(), all[static_cast<std::size_t>(begin)].end(), to);
    return TreePart::written;
  };
  for (int rank = 0; rank < ranks; ++rank)
    tree.parts_inside(first_shard_of(rank, ranks, shards), first_shard_of(rank + 1, ranks, shards),
                      [&](int begin, int end) {
                        std::vector<double> one(length);
                        if (!tree.sum_part(begin, end, one.data(), leaf)) return;
                        sent[static_cast<std::size_t>(rank)].push_back(one);
                        parts[static_cast<std::size_t>(rank)].emplace_back(begin, end);
                      });
  std::vector<double> out(length, 0.0);
  tree.sum(out.data(), [&](int begin, int end, double* to) {
    for (std::size_t rank = 0; rank < sent.size(); ++rank)
      for (std::size_t k = 0; k < sent[rank].size(); ++k)
        if (parts[rank][k] == std::pair(begin, end)) {
          std::copy(sent[rank][k].begin(), sent[rank][k].end(), to);
          return TreePart::written;
        }
    return end - begin > 1 ? TreePart::divided : TreePart::absent;
  });
  return out;
}

TEST(ShardTree, AnyNumberOfRanks_GivesTheSameBits) {
  for (const int shards : {1, 2, 5, 64, 100}) {
    const auto all = leaves(shards, 3);
    std::mt19937 chance(3);
    for (const int absent_of_ten : {0, 6, 10}) {
      std::vector<bool> present(all.size());
      for (std::size_t k = 0; k < present.size(); ++k) present[k] = static_cast<int>(chance() % 10) >= absent_of_ten;
      const auto serial = whole_sum(all, present);
      for (int ranks = 1; ranks <= 9; ++ranks)
        EXPECT_EQ(sum_by_ranks(all, present, ranks), serial) << shards << " shards, " << ranks << " ranks";
    }
  }
}

TEST(ShardTree, Sum_IsThatOfAllLeaves) {
  for (const int shards : {1, 2, 3, 7, 64}) {
    std::vector<std::vector<double>> all(static_cast<std::size_t>(shards), std::vector<double>(1));
    double expected = 0;
    for (int k = 0; k < shards; ++k) expected += all[static_cast<std::size_t>(k)][0] = k + 1;
    EXPECT_EQ(whole_sum(all, std::vector<bool>(all.size(), true))[0], expected);
  }
}

TEST(ShardTree, AdditionsOneAfterTheOther_GiveOtherBits) {  // or the tests above would find nothing
  const auto all = leaves(64, 3);
  std::vector<double> plain(3, 0.0);
  for (const auto& leaf : all)
    for (std::size_t i = 0; i < 3; ++i) plain[i] += leaf[i];
  EXPECT_NE(plain, whole_sum(all, std::vector<bool>(64, true)));
}

TEST(RowShards, EveryRow_IsInTheShardThatHasIt) {
  for (const std::int64_t rows : {1, 2, 63, 64, 65, 1000})
    for (const int shards : {1, 2, 3, 64}) {
      const RowShards cut{rows, shards, nullptr};
      std::int64_t counted = 0;
      for (int shard = 0; shard < shards; ++shard)
        for (std::int64_t row = cut.first_row(shard); row < cut.first_row(shard + 1); ++row, ++counted) {
          EXPECT_EQ(row, counted);
          EXPECT_EQ(cut.shard_of(row), shard) << row << " of " << rows << " in " << shards;
        }
      EXPECT_EQ(counted, rows);
    }
}

}  // namespace
}  // namespace sgmcmc
