// Draws in memory and running moments: exact values on small examples, and agreement with each other.
#include "errors/message_of.hpp"

#include <sgmcmc/draws.hpp>
#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <thread>
#include <vector>

namespace sgmcmc {
namespace {

const std::vector<std::string> two_names = {"mu", "sigma"};

/// One chain of one parameter.
MemoryDraws draws_of(const std::vector<double>& values, const std::vector<double>& weights) {
  MemoryDraws draws;
  const std::vector<std::string> name = {"x"};
  draws.begin(name, 1, values.size());
  for (std::size_t k = 0; k < values.size(); ++k) draws.write(0, {&values[k], 1}, weights[k]);
  return draws;
}

TEST(MemoryDraws, DrawsOfSeveralChains_AreFoundWhereTheyWerePut) {
  MemoryDraws draws;
  draws.begin(two_names, 2, 3);
  draws.write(1, std::array{10.0, 20.0}, 0.5);
  draws.write(0, std::array{1.0, 2.0}, 1.0);
  draws.write(0, std::array{3.0, 4.0}, 1.0);
  EXPECT_EQ(draws.chains(), 2u);
  EXPECT_EQ(draws.parameters(), 2u);
  EXPECT_EQ(draws.draws(0), 2u);
  EXPECT_EQ(draws.draws(1), 1u) << "a chain may stop early";
  EXPECT_EQ(draws(0, 1, 0), 3.0);
  EXPECT_EQ(draws(1, 0, 1), 20.0);
  EXPECT_EQ(draws.draw(0, 1)[1], 4.0);
  EXPECT_EQ(draws.weights(1)[0], 0.5);
  EXPECT_EQ(draws.index_of("sigma"), 1u);
  EXPECT_FALSE(draws.equal_weights());
}

TEST(MemoryDraws, Misuse_ThrowsSayingWhat) {
  MemoryDraws draws;
  draws.begin(two_names, 1, 1);
  EXPECT_NE(testing::message_of<OptionError>([&] { (void)draws.index_of("tau"); }).find("mu, sigma"),
            std::string::npos);
  EXPECT_THROW(draws.write(1, std::array{1.0, 2.0}, 1.0), OptionError);
  EXPECT_THROW(draws.write(0, std::array{1.0}, 1.0), OptionError);
  EXPECT_THROW(draws.write(0, std::array{1.0, 2.0}, -1.0), OptionError);
  draws.write(0, std::array{1.0, 2.0}, 1.0);
  EXPECT_THROW(draws.write(0, std::array{1.0, 2.0}, 1.0), OptionError) << "no room was made for a second draw";
  EXPECT_THROW((void)draws.draw(0, 1), OptionError);
  EXPECT_THROW((void)draws.quantile("mu", 1.5), OptionError);
  EXPECT_NE(testing::message_of<OptionError>([&] { draws.begin(two_names, 1000, std::size_t{1} << 60); }).find("GB"),
            std::string::npos);
}

TEST(MemoryDraws, NoDraws_SummariesAreNotANumber) {
  const MemoryDraws draws = draws_of({}, {});
  EXPECT_TRUE(std::isnan(draws.mean("x")));
  EXPECT_TRUE(std::isnan(draws.standard_deviation("x")));
  EXPECT_TRUE(std::isnan(draws.quantile("x", 0.5)));
  EXPECT_TRUE(std::isnan(draws_of({1.0}, {1.0}).standard_deviation("x")));
  EXPECT_EQ(draws_of({1.0}, {1.0}).quantile("x", 0.3), 1.0);
}

TEST(MemoryDraws, EqualWeights_GiveTheOrdinarySummaries) {
  const MemoryDraws draws = draws_of({4.0, 1.0, 3.0, 2.0}, {0.1, 0.1, 0.1, 0.1});
  EXPECT_TRUE(draws.equal_weights());
  EXPECT_NEAR(draws.mean("x"), 2.5, 1e-15);
  EXPECT_NEAR(draws.standard_deviation("x"), std::sqrt(5.0 / 3.0), 1e-15);
  // R: quantile(c(4, 1, 3, 2), c(0, 0.1, 0.25, 0.5, 1)), type 7.
  EXPECT_NEAR(draws.quantile("x", 0.0), 1.0, 1e-15);
  EXPECT_NEAR(draws.quantile("x", 0.1), 1.3, 1e-15);
  EXPECT_NEAR(draws.quantile("x", 0.25), 1.75, 1e-15);
  EXPECT_NEAR(draws.quantile("x", 0.5), 2.5, 1e-15);
  EXPECT_NEAR(draws.quantile("x", 1.0), 4.0, 1e-15);
}

TEST(MemoryDraws, UnequalWeights_WeighTheSummaries) {
  const MemoryDraws draws = draws_of({1.0, 2.0, 10.0}, {0.3, 0.1, 0.0});
  EXPECT_NEAR(draws.mean("x"), 1.25, 1e-15);
  EXPECT_NEAR(draws.quantile("x", 1.0), 2.0, 1e-15) << "a draw of weight 0 does not count";
  // A weight of 3 is nearly three draws of weight 1, and exactly so in the limit of many draws.
  std::vector<double> values, weights, repeated;
  for (int k = 0; k < 3000; ++k) {
    const double value = std::sin(k * 1.7) + 0.001 * k;
    values.push_back(value);
    weights.push_back(1.0 + k % 3);
    for (int r = 0; r < 1 + k % 3; ++r) repeated.push_back(value);
  }
  const MemoryDraws weighted = draws_of(values, weights), plain = draws_of(repeated, std::vector(repeated.size(), 1.0));
  EXPECT_NEAR(weighted.mean("x"), plain.mean("x"), 1e-12);
  EXPECT_NEAR(weighted.standard_deviation("x"), plain.standard_deviation("x"), 1e-3);
  for (const double p : {0.05, 0.25, 0.5, 0.9}) EXPECT_NEAR(weighted.quantile("x", p), plain.quantile("x", p), 5e-3);
}

TEST(MemoryDraws, ChainsWrittenFromThreads_ArriveWhole) {
  MemoryDraws draws;
  draws.begin(two_names, 4, 1000);
  std::vector<std::thread> threads;
  for (std::size_t chain = 0; chain < 4; ++chain)
    threads.emplace_back([&draws, chain] {
      for (int k = 0; k < 1000; ++k) draws.write(chain, std::array{static_cast<double>(chain), 1.0 * k}, 1.0);
    });
  for (auto& thread : threads) thread.join();
  for (std::size_t chain = 0; chain < 4; ++chain)
    for (std::size_t k = 0; k < 1000; ++k) {
      ASSERT_EQ(draws(chain, k, 0), static_cast<double>(chain));
      ASSERT_EQ(draws(chain, k, 1), static_cast<double>(k));
    }
}

TEST(RunningMoments, WeightedValues_AgreeWithTheTwoPassFormulas) {
  const std::vector<double> values = {1.0, 4.0, -2.0, 0.5}, weights = {0.5, 1.0, 2.0, 0.25};
  RunningMoments moments(1);
  double total = 0.0, squared = 0.0, mean = 0.0, spread = 0.0;
  for (std::size_t k = 0; k < 4; ++k) {
    moments.add({&values[k], 1}, weights[k]);
    total += weights[k];
    squared += weights[k] * weights[k];
    mean += weights[k] * values[k];
  }
  mean /= total;
  for (std::size_t k = 0; k < 4; ++k) spread += weights[k] * (values[k] - mean) * (values[k] - mean);
  EXPECT_NEAR(moments.mean()[0], mean, 1e-15);
  EXPECT_NEAR(moments.variance(0), spread / (total - squared / total), 1e-14);
  EXPECT_EQ(moments.count(), 4u);
}

TEST(RunningMoments, LargeOffset_LosesNoDigits) {
  RunningMoments moments(1);
  for (int k = 0; k < 1000; ++k) {
    const double value = 1e9 + k % 2;
    moments.add({&value, 1});
  }
  EXPECT_NEAR(moments.variance(0), 0.25 * 1000.0 / 999.0, 1e-9);
}

TEST(RunningMoments, Merged_AsIfAddedInOne) {
  RunningMoments all(2), left(2), right(2), empty(2);
  for (int k = 0; k < 50; ++k) {
    const std::array value{std::sin(k * 1.0), k * 0.1};
    const double weight = 1.0 / (1.0 + k);
    all.add(value, weight);
    (k < 20 ? left : right).add(value, weight);
  }
  left.merge(empty);
  empty.merge(right);
  left.merge(empty);
  for (std::size_t j = 0; j < 2; ++j) {
    EXPECT_NEAR(left.mean()[j], all.mean()[j], 1e-14);
    EXPECT_NEAR(left.variance(j), all.variance(j), 1e-14);
  }
  EXPECT_EQ(left.count(), all.count());
}

TEST(RunningMoments, Misuse_Throws) {
  RunningMoments moments(2);
  EXPECT_THROW(moments.add(std::array{1.0}), OptionError);
  EXPECT_THROW(moments.add(std::array{1.0, 2.0}, -1.0), OptionError);
  EXPECT_THROW(moments.add(std::array{1.0, 2.0}, std::nan("")), OptionError);
  EXPECT_THROW(moments.merge(RunningMoments(3)), OptionError);
  moments.add(std::array{1.0, 2.0}, 0.0);
  EXPECT_EQ(moments.count(), 0u);
  EXPECT_TRUE(std::isnan(moments.variance(0)));
}

}  // namespace
}  // namespace sgmcmc
