// Tests of sampling without replacement: rows are distinct, and all subsets are equally likely, for each method.
#include "minibatch/distinct_rows.hpp"
#include "minibatch/chi_square.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace sgmcmc {
namespace {

using Rows = std::vector<std::uint32_t>;

StreamKey key_of(std::uint64_t iteration) { return {20, 0, iteration, Purpose::minibatch}; }

double choose(std::uint32_t rows, std::uint32_t count) {
  double result = 1;
  for (std::uint32_t k = 0; k < count; ++k) result = result * (rows - k) / (k + 1);
  return result;
}

// p value of the hypothesis that the unordered subsets of `count` rows are equally likely.
double subset_p_value(std::uint32_t rows, std::uint32_t count, std::uint64_t batches,
                      const std::function<void(std::uint64_t, Rows&)>& draw) {
  std::map<Rows, std::uint64_t> seen;
  Rows batch(count);
  for (std::uint64_t iteration = 0; iteration < batches; ++iteration) {
    draw(iteration, batch);
    std::sort(batch.begin(), batch.end());
    ++seen[batch];
  }
  std::vector<std::uint64_t> counts(static_cast<std::size_t>(choose(rows, count) + 0.5), 0);
  std::size_t cell = 0;
  for (const auto& entry : seen) counts.at(cell++) = entry.second;
  return uniform_p_value(counts);
}

double distinct_p_value(std::uint32_t rows, std::uint32_t count, std::uint64_t batches) {
  DistinctRows distinct(rows, count);
  return subset_p_value(rows, count, batches,
                        [&](std::uint64_t iteration, Rows& batch) { distinct.fill(key_of(iteration), batch); });
}

// A wrong shortcut: a repeated row is replaced by its neighbour. Single rows are still equally likely.
double neighbour_mutant_p_value(std::uint32_t rows, std::uint32_t count, std::uint64_t batches) {
  return subset_p_value(rows, count, batches, [&](std::uint64_t iteration, Rows& batch) {
    std::set<std::uint32_t> taken;
    fill_below(key_of(iteration), rows, batch);
    for (std::uint32_t& row : batch) {
      while (!taken.insert(row).second) row = (row + 1) % rows;
    }
  });
}

TEST(DistinctRows, AnySizes_AreDistinctAndInRange) {
  for (const auto& [rows, count] : std::vector<std::pair<std::uint32_t, std::uint32_t>>{{1, 1},
                                                                                        {2, 1},
                                                                                        {64, 1},
                                                                                        {65, 64},
                                                                                        {1000, 15},
                                                                                        {1000, 16},
                                                                                        {1000, 500},
                                                                                        {1000, 501},
                                                                                        {1000, 999},
                                                                                        {1000, 1000},
                                                                                        {581'012, 500},
                                                                                        {4'294'967'295u, 3000}}) {
    DistinctRows distinct(rows, count);
    Rows batch(count);
    for (std::uint64_t iteration = 0; iteration < 20; ++iteration) {
      distinct.fill(key_of(iteration), batch);
      const std::set<std::uint32_t> different(batch.begin(), batch.end());
      ASSERT_EQ(different.size(), count) << rows;
      ASSERT_LT(*different.rbegin(), rows);
    }
  }
}

TEST(DistinctRows, SameKey_GivesTheSameRowsWhateverWasAskedBefore) {
  for (const std::uint32_t rows : {600u, 100'000u}) {
    DistinctRows used(rows, 400), fresh(rows, 400);
    Rows expected(400), found(400);
    for (std::uint64_t iteration = 0; iteration < 5; ++iteration) used.fill(key_of(iteration), found);
    used.fill(key_of(9), found);
    fresh.fill(key_of(9), expected);
    EXPECT_EQ(found, expected);
  }
}

TEST(DistinctRows, ByTable_MakesEverySubsetEquallyLikely) {
  EXPECT_GT(distinct_p_value(130, 2, 200'000), false_alarm);
  EXPECT_LT(neighbour_mutant_p_value(130, 2, 200'000), false_alarm);
}

TEST(DistinctRows, ByBits_MakesEverySubsetEquallyLikely) {
  EXPECT_GT(distinct_p_value(8, 3, 30'000), false_alarm);
  EXPECT_LT(neighbour_mutant_p_value(8, 3, 30'000), false_alarm);
}

TEST(DistinctRows, ByComplement_MakesEverySubsetEquallyLikely) {
  EXPECT_GT(distinct_p_value(8, 6, 30'000), false_alarm);
  EXPECT_GT(distinct_p_value(9, 5, 60'000), false_alarm);
  EXPECT_LT(neighbour_mutant_p_value(8, 6, 30'000), false_alarm);
}

// Counts of rows in batches without replacement are less spread than independent ones: with f = n / N, each has
// variance T f (1 - f) and they sum to a constant.
double inclusion_p_value(std::uint32_t rows, std::uint32_t count, std::uint64_t batches, std::uint32_t range) {
  DistinctRows distinct(range, count);
  std::vector<std::uint64_t> counts(rows, 0);
  Rows batch(count);
  for (std::uint64_t iteration = 0; iteration < batches; ++iteration) {
    distinct.fill(key_of(iteration), batch);
    for (const std::uint32_t row : batch) ++counts[row];
  }
  const double fraction = static_cast<double>(count) / rows, drawn = static_cast<double>(batches);
  double statistic = 0;
  for (const std::uint64_t found : counts) {
    const double deviation = static_cast<double>(found) - drawn * fraction;
    statistic += deviation * deviation;
  }
  statistic *= (rows - 1.0) / rows / (drawn * fraction * (1 - fraction));
  return chi_square_tail(statistic, rows - 1.0);
}

TEST(DistinctRows, InclusionFrequencies_AreEqual) {
  EXPECT_GT(inclusion_p_value(500, 7, 20'000, 500), false_alarm);    // by table
  EXPECT_GT(inclusion_p_value(300, 40, 20'000, 300), false_alarm);   // by bits
  EXPECT_GT(inclusion_p_value(300, 290, 20'000, 300), false_alarm);  // by complement
  EXPECT_LT(inclusion_p_value(500, 7, 20'000, 499), false_alarm);    // mutant: the last row is never drawn
}

}  // namespace
}  // namespace sgmcmc
