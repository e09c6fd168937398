// Compares summaries accumulated draw by draw with those of stored draws.
#include "service/sampling/column_summaries.hpp"

#include <sgmcmc/diagnose.hpp>
#include <sgmcmc/random.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace sgmcmc {
namespace {

/// Four chains of three columns: independent, autocorrelated, and shifted by `shift` from chain to chain.
struct Chains {
  ColumnSummaries summaries;
  MemoryDraws draws;

  explicit Chains(std::size_t length, double shift = 0) {
    summaries.begin(3, 4);
    draws.begin(std::vector<std::string>{"independent", "slow", "apart"}, 4, length);
    for (std::size_t chain = 0; chain < 4; ++chain) {
      std::vector<double> z(2 * length);
      fill_normal({7, static_cast<std::uint32_t>(chain), 0, Purpose::noise}, z);
      double slow = z[0];
      for (std::size_t k = 0; k < length; ++k) {
        slow = 0.9 * slow + std::sqrt(1 - 0.81) * z[2 * k];
        const std::array values = {z[2 * k + 1], 3 + 2 * slow, z[2 * k + 1] + shift * static_cast<double>(chain)};
        summaries.add(chain, values, 1.0);
        draws.write(chain, values, 1.0);
      }
    }
  }
};

TEST(ColumnSummaries, MeansAndSds_AreThoseOfAllDraws) {
  const Chains chains(2'500);
  const auto found = chains.summaries.summaries();
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(found[k].mean, chains.draws.mean(k), 1e-12);
    EXPECT_NEAR(found[k].standard_deviation, chains.draws.standard_deviation(k), 1e-12);
    EXPECT_NEAR(found[k].q5, chains.draws.quantile(k, 0.05), 0.03 * found[k].standard_deviation);
    EXPECT_TRUE(std::isnan(found[k].ess_tail));
  }
}

// With 64 to 128 batches, an estimated variance is within a factor of 1.6, at three standard errors.
TEST(ColumnSummaries, EffectiveSizes_AreNearThoseOfStoredDraws) {
  const Chains chains(8'000);
  const auto found = chains.summaries.summaries();
  for (const std::size_t k : {0u, 1u}) {
    const double exact = ess_mean(QuantityDraws(chains.draws, k));
    EXPECT_GT(found[k].ess_bulk, exact / 1.6) << k;
    EXPECT_LT(found[k].ess_bulk, exact * 1.6) << k;
    EXPECT_NEAR(found[k].mcse_mean, found[k].standard_deviation / std::sqrt(found[k].ess_bulk), 1e-12);
  }
  EXPECT_LT(found[1].ess_bulk, 0.1 * found[0].ess_bulk);
}

TEST(ColumnSummaries, ChainsApart_HaveALargeRhatAndASmallSize) {
  const Chains together(1'000), apart(1'000, 1.0);
  EXPECT_LT(together.summaries.summaries()[2].rhat, 1.01);
  const auto found = apart.summaries.summaries()[2];
  EXPECT_NEAR(found.rhat, std::sqrt(1 + 10.0 / 7), 0.05);  // the means of half chains are 0, 0, 1, 1, 2, 2, 3, 3
  EXPECT_LT(found.ess_bulk, 50);
}

TEST(ColumnSummaries, TooFewOrConstantDraws_CannotBeTold) {
  ColumnSummaries summaries;
  summaries.begin(1, 2);
  EXPECT_TRUE(std::isnan(summaries.summaries()[0].mean));
  for (int k = 0; k < 100; ++k)
    for (const std::size_t chain : {0u, 1u}) summaries.add(chain, std::array{0.1}, 1.0);
  const auto found = summaries.summaries()[0];
  EXPECT_EQ(found.mean, 0.1);
  EXPECT_EQ(found.standard_deviation, 0.0);
  EXPECT_EQ(found.q95, 0.1);
  EXPECT_TRUE(std::isnan(found.rhat) && std::isnan(found.ess_bulk) && std::isnan(found.mcse_mean));
}

}  // namespace
}  // namespace sgmcmc
