// Plots of draws with known distributions.
#include "report/quantity_view.hpp"

#include <sgmcmc/random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace sgmcmc {
namespace {

QuantityDraws normal_draws(std::size_t chains, std::size_t draws) {
  QuantityDraws quantity;
  for (std::size_t c = 0; c < chains; ++c) {
    std::vector<double> values(draws);
    fill_normal({.seed = 7 + c, .purpose = Purpose::data}, values);
    quantity.chains.push_back(std::move(values));
  }
  return quantity;
}

QuantityView viewed(const QuantityDraws& draws, const ViewResolution& resolution = {}) {
  DiagnoseWorkspace workspace;
  return view_of(draws, summarise(draws), resolution, workspace);
}

TEST(QuantityView, FewDraws_TraceShowsEachOfThem) {
  const QuantityView view = viewed(QuantityDraws({{0, 1, 0.5, 1}, {1, 0, 0.2, 0.4}}));
  EXPECT_EQ(view.draws_per_bin, 1u);
  EXPECT_EQ(view.low, 0);
  EXPECT_EQ(view.high, 1);
  EXPECT_EQ(view.trace, (std::vector<std::uint8_t>{0,   0,   0,   255, 255, 255, 128, 128, 128, 255, 255, 255,
                                                   255, 255, 255, 0,   0,   0,   51,  51,  51,  102, 102, 102}));
}

TEST(QuantityView, LongChain_TraceHasRangesAndMeans) {
  std::vector<double> saw(1000);
  for (std::size_t k = 0; k < saw.size(); ++k) saw[k] = k % 2 == 0 ? -1 : 1;
  const QuantityView view = viewed(QuantityDraws({saw}), {.trace = 10});
  ASSERT_EQ(view.trace.size(), 30u);
  for (std::size_t bin = 0; bin < 10; ++bin) {
    EXPECT_EQ(view.trace[3 * bin], 0);
    EXPECT_EQ(view.trace[3 * bin + 1], 128);
    EXPECT_EQ(view.trace[3 * bin + 2], 255);
  }
}

TEST(QuantityView, ShorterChain_HasEmptyBins) {
  const QuantityView view = viewed(QuantityDraws({{0, 1, 2, 3, 4, 5}, {5, 4}}));
  ASSERT_EQ(view.trace.size(), 36u);
  EXPECT_EQ(view.trace[18 + 3 * 2], 255);
  EXPECT_EQ(view.trace[18 + 3 * 2 + 2], 0);
}

TEST(QuantityView, ConstantOrNotFiniteDraws_HaveNoPictures) {
  EXPECT_TRUE(viewed(QuantityDraws({{2, 2, 2, 2, 2, 2}})).trace.empty());
  EXPECT_TRUE(viewed(QuantityDraws({{1, 2, std::nan(""), 4, 5}})).trace.empty());
  EXPECT_TRUE(viewed(QuantityDraws({{1, 2, std::numeric_limits<double>::infinity(), 4, 5}})).trace.empty());
  EXPECT_TRUE(viewed(QuantityDraws(std::vector<std::vector<double>>(2))).trace.empty());
  EXPECT_TRUE(viewed(QuantityDraws()).trace.empty());
}

TEST(QuantityView, ChainsThatAgree_RanksAreFlat) {
  const QuantityView view = viewed(normal_draws(4, 4000));
  ASSERT_EQ(view.ranks.size(), 80u);
  for (const auto rank : view.ranks) EXPECT_NEAR(rank, 64, 64 * 0.35);  // 200 expected: five of their sds
}

TEST(QuantityView, ChainsApart_RanksAreInDifferentBins) {
  const QuantityView view =
      viewed(QuantityDraws({{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, {11, 12, 13, 14, 15, 16, 17, 18, 19, 20}}), {.ranks = 2});
  EXPECT_EQ(view.ranks, (std::vector<std::uint8_t>{128, 0, 0, 128}));
}

TEST(QuantityView, Ties_AreSpreadOverTheirRanks) {
  std::vector<double> ones(100, 1.0);
  ones[0] = 0;
  const QuantityView view = viewed(QuantityDraws({ones, ones}), {.ranks = 4});
  for (const auto rank : view.ranks) EXPECT_NEAR(rank, 64, 2);
}

TEST(QuantityView, NormalDraws_DensityIsNormal) {
  const QuantityDraws draws = normal_draws(4, 5000);
  std::vector<double> all;
  for (const auto& chain : draws.chains) all.insert(all.end(), chain.begin(), chain.end());
  const auto [least, largest] = std::minmax_element(all.begin(), all.end());
  const auto heights = density_of(all, {}, {-3, 3, *least, *largest, 61});
  for (std::size_t k = 0; k < heights.size(); ++k) {
    const double x = -3 + 0.1 * static_cast<double>(k);
    EXPECT_NEAR(heights[k], std::exp(-x * x / 2) / std::sqrt(2 * std::acos(-1.0)), 0.03) << x;
  }
}

TEST(QuantityView, DrawsAtABound_DensityDoesNotFallThere) {
  std::vector<double> uniform(20'000);
  fill_uniform({.seed = 3, .purpose = Purpose::data}, uniform);
  const auto heights = density_of(uniform, {}, {0, 1, 0, 1, 21});
  for (const double height : heights) EXPECT_NEAR(height, 1, 0.1);
}

TEST(QuantityView, Weights_MoveTheDensity) {
  const std::vector<double> values = {0, 0.01, 0.02, 1, 1.01, 1.02}, weights = {1, 1, 1, 3, 3, 3};
  const auto heights = density_of(values, weights, {-1, 2, -1, 2, 4});
  EXPECT_GT(heights[2], 2.5 * heights[1]);
}

TEST(QuantityView, WholeNumbers_HaveProbabilities) {
  const QuantityView view = viewed(QuantityDraws({{2, 3, 3, 3}, {2, 3, 3, 5}}));
  EXPECT_TRUE(view.whole_numbers);
  ASSERT_EQ(view.density.size(), 12u);  // 2 to 5, of all draws and of each chain
  EXPECT_EQ(view.density[2], 0);
  EXPECT_EQ(view.density[5], 255);  // three of four draws of the first chain
}

TEST(QuantityView, IndependentDraws_AutocorrelationFallsAtOnce) {
  DiagnoseWorkspace workspace;
  const QuantityView view = view_of(normal_draws(2, 5000), {.ess_bulk = 10000}, {}, workspace);
  ASSERT_EQ(view.autocorrelation.size(), 2 * 51u);
  EXPECT_EQ(view.lag_step, 1u);
  EXPECT_EQ(view.autocorrelation[0], 255);
  EXPECT_NEAR(view.autocorrelation[1], 127.5, 10);
}

TEST(QuantityView, IndependentDraws_EffectiveSizeGrowsWithThem) {
  const QuantityView view = viewed(normal_draws(4, 1200));
  ASSERT_EQ(view.ess_bulk.size(), view_shares.size());
  EXPECT_NEAR(view.ess_bulk[2], 2400, 500);
  EXPECT_NEAR(view.ess_bulk[3], 4800, 900);
}

TEST(QuantityView, CoarseResolution_IsSmall) {
  const QuantityView view = viewed(normal_draws(4, 1000), coarse_resolution());
  EXPECT_LT(view.trace.size() + view.density.size() + view.ranks.size() + view.autocorrelation.size(), 500u);
  EXPECT_TRUE(view.ess_bulk.empty());
}

}  // namespace
}  // namespace sgmcmc
