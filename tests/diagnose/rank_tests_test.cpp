// Ranks: p-values against all outcomes of small cases, uniform ranks of exact posterior draws, and planted mistakes.
#include "errors/message_of.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/random.hpp>
#include <sgmcmc/rank_tests.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace sgmcmc {
namespace {

using Ranks = std::vector<std::uint32_t>;

/// All sequences of `count` ranks among `draws` draws.
std::vector<Ranks> all_sequences(std::size_t count, std::uint32_t draws) {
  std::vector<Ranks> all{{}};
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<Ranks> longer;
    for (const auto& ranks : all)
      for (std::uint32_t rank = 0; rank <= draws; ++rank) {
        longer.push_back(ranks);
        longer.back().push_back(rank);
      }
    all = std::move(longer);
  }
  return all;
}

TEST(RankAmong, DrawsBelow_AreCountedAndTiesDrawn) {
  const std::vector<double> draws{1, 3, 3, 5};
  EXPECT_EQ(rank_among(0, draws, 0.5), 0u);
  EXPECT_EQ(rank_among(4, draws, 0.5), 3u);
  EXPECT_EQ(rank_among(9, draws, 0.5), 4u);
  EXPECT_EQ(rank_among(3, draws, 0.1), 1u);
  EXPECT_EQ(rank_among(3, draws, 0.5), 2u);
  EXPECT_EQ(rank_among(3, draws, 0.99), 3u);
}

TEST(EcdfTest, PValue_IsTheShareOfAllOutcomesAsExtreme) {
  for (const auto& [count, draws] : {std::pair<std::size_t, std::uint32_t>{3, 2}, {4, 3}, {2, 6}, {6, 1}}) {
    const auto all = all_sequences(count, draws);
    std::vector<double> p_values;
    for (const auto& ranks : all) p_values.push_back(test_ranks(ranks, draws).ecdf_p_value);
    for (const double p : p_values) {
      const auto as_small = std::count_if(p_values.begin(), p_values.end(), [&](double q) { return q <= p + 1e-9; });
      EXPECT_NEAR(p, static_cast<double>(as_small) / static_cast<double>(all.size()), 1e-9);
    }
  }
}

TEST(EcdfBand, AllOutcomesOfSmallCases_LieInsideAsOftenAsPromised) {
  for (const double level : {0.05, 0.2, 0.5}) {
    const auto all = all_sequences(5, 4);
    const auto band = ecdf_band(5, 4, level);
    ASSERT_EQ(band.thresholds, (Ranks{1, 2, 3, 4}));
    std::size_t inside = 0;
    for (const auto& ranks : all) {
      bool stays = true;
      for (std::size_t i = 0; i < band.thresholds.size(); ++i) {
        const auto below = static_cast<std::uint64_t>(
            std::count_if(ranks.begin(), ranks.end(), [&](auto rank) { return rank < band.thresholds[i]; }));
        stays = stays && below >= band.lower[i] && below <= band.upper[i];
      }
      inside += stays;
      // The band is left where the p-value says so: both order outcomes by their smallest tail.
      const double p = test_ranks(ranks, 4).ecdf_p_value;
      EXPECT_TRUE(stays || p <= level + 1e-9);
    }
    EXPECT_GE(static_cast<double>(inside) / static_cast<double>(all.size()), 1 - level - 1e-9);
  }
}

TEST(EcdfBand, ManyReplications_HaveTheCoverageAskedFor) {
  // 2000 sets of 100 ranks: the share outside is at most 0.1, and by discreteness not far below; standard error 0.0067.
  // False-alarm rate 3e-5 (4 standard errors).
  constexpr std::size_t sets = 2000, count = 100;
  constexpr std::uint32_t draws = 63;
  const auto band = ecdf_band(count, draws, 0.1);
  std::size_t outside = 0, small = 0;
  for (std::size_t set = 0; set < sets; ++set) {
    Ranks ranks(count);
    fill_below({5, 0, set, Purpose::data}, draws + 1, ranks);
    bool stays = true;
    for (std::size_t i = 0; i < band.thresholds.size(); ++i) {
      const auto below = static_cast<std::uint64_t>(
          std::count_if(ranks.begin(), ranks.end(), [&](auto rank) { return rank < band.thresholds[i]; }));
      stays = stays && below >= band.lower[i] && below <= band.upper[i];
    }
    outside += !stays;
    if (set < 200) small += test_ranks(ranks, draws).ecdf_p_value <= 0.1;
  }
  EXPECT_LE(static_cast<double>(outside) / sets, 0.1 + 4 * 0.0067);
  EXPECT_GE(static_cast<double>(outside) / sets, 0.08 - 4 * 0.0067);
  EXPECT_LE(static_cast<double>(small) / 200, 0.1 + 4 * 0.021);
  EXPECT_GE(static_cast<double>(small) / 200, 0.08 - 4 * 0.021);
}

TEST(MomentsTest, UniformRanks_AreStandardisedExactly) {
  // Over all outcomes of one rank, shift_z and spread_z have mean 0, variance 1 and no correlation.
  for (const std::uint32_t draws : {2u, 3u, 10u, 63u}) {
    double shift = 0, spread = 0, shift_square = 0, spread_square = 0, product = 0;
    for (std::uint32_t rank = 0; rank <= draws; ++rank) {
      const RankTest test = test_ranks(Ranks{rank}, draws);
      shift += test.shift_z;
      spread += test.spread_z;
      shift_square += test.shift_z * test.shift_z;
      spread_square += test.spread_z * test.spread_z;
      product += test.shift_z * test.spread_z;
      EXPECT_NEAR(test.moments_p_value, std::exp(-0.5 * (test.shift_z * test.shift_z + test.spread_z * test.spread_z)),
                  1e-15);
    }
    const double count = draws + 1.0;
    EXPECT_NEAR(shift, 0, 1e-9);
    EXPECT_NEAR(spread, 0, 1e-9);
    EXPECT_NEAR(shift_square / count, 1, 1e-9);
    EXPECT_NEAR(spread_square / count, 1, 1e-9);
    EXPECT_NEAR(product, 0, 1e-9);
  }
}

TEST(MomentsTest, SmallPValues_AreAsRareAsTheySay) {
  // 20000 sets each: below 0.01 about 200, standard deviation 14; below 0.001 about 20, and no more than 45.
  // False-alarm rate 1e-4.
  for (const std::size_t count : {20u, 100u}) {
    std::size_t small = 0, smaller = 0;
    for (std::uint64_t set = 0; set < 20'000; ++set) {
      Ranks ranks(count);
      fill_below({6, 0, set, Purpose::data}, 64, ranks);
      double shift = 0, spread = 0;  // those of the whole are sums of those of one rank
      for (const auto rank : ranks) {
        static const std::vector<RankTest> of_one = [] {
          std::vector<RankTest> all;
          for (std::uint32_t each = 0; each < 64; ++each) all.push_back(test_ranks(Ranks{each}, 63));
          return all;
        }();
        shift += of_one[rank].shift_z;
        spread += of_one[rank].spread_z;
      }
      const double p = std::exp(-0.5 * (shift * shift + spread * spread) / static_cast<double>(count));
      small += p < 0.01;
      smaller += p < 0.001;
    }
    EXPECT_GT(small, 140u);
    EXPECT_LT(small, 260u);
    EXPECT_LT(smaller, 45u);
  }
}

TEST(ChiSquareTest, KnownHistogram_HasItsPValue) {
  // 40 ranks in 4 bins, 10 expected in each: 16, 8, 6, 10 have the statistic 5.6, with 3 degrees of freedom.
  Ranks ranks;
  const std::size_t counts[] = {16, 8, 6, 10};
  for (std::uint32_t bin = 0; bin < 4; ++bin) ranks.insert(ranks.end(), counts[bin], bin * 5);
  const RankTest test = test_ranks(ranks, 19, 4);
  EXPECT_EQ(test.histogram, (std::vector<std::uint64_t>{16, 8, 6, 10}));
  EXPECT_NEAR(test.chi_square_p_value, 0.1328, 5e-5);
  // Bins of unequal width expect unequal counts: 3 values in 2 bins are 2 and 1.
  const RankTest uneven = test_ranks(Ranks{0, 1, 2, 0, 1, 2}, 2, 2);
  EXPECT_EQ(uneven.histogram, (std::vector<std::uint64_t>{4, 2}));
  EXPECT_DOUBLE_EQ(uneven.chi_square_p_value, 1);
}

/// theta ~ N(0, 1), five observations of it with standard deviation 2, and independent draws of the posterior, changed.
Ranks conjugate_ranks(double widen, double shift, double prior_sd, std::uint64_t seed) {
  constexpr std::size_t replications = 1000, draws = 63, observations = 5;
  Ranks ranks;
  for (std::size_t r = 0; r < replications; ++r) {
    std::vector<double> z(1 + observations + draws);
    fill_normal({seed, 0, r, Purpose::data}, z);
    const double theta = z[0];
    double sum = 0;
    for (std::size_t i = 0; i < observations; ++i) sum += theta + 2 * z[1 + i];
    const double precision = 1 / (prior_sd * prior_sd) + observations / 4.0;
    const double mean = sum / 4 / precision, sd = 1 / std::sqrt(precision);
    std::vector<double> sample(draws);
    for (std::size_t k = 0; k < draws; ++k) sample[k] = mean + sd * (shift + widen * z[1 + observations + k]);
    ranks.push_back(rank_among(theta, sample, 0.5));
  }
  return ranks;
}

TEST(RankTest, ExactPosteriorDraws_HaveUniformRanks) {
  // Three p-values above 1e-4: false-alarm rate 3e-4.
  const RankTest test = test_ranks(conjugate_ranks(1, 0, 1, 1), 63);
  EXPECT_GT(test.smallest_p_value(), 1e-4);
  EXPECT_NEAR(test.shift, 0, 0.2);
  EXPECT_NEAR(test.spread, 1, 0.15);
  EXPECT_EQ(test.shape(), "neither U-shaped, hump-shaped nor sloping");
}

TEST(RankTest, PlantedMistakes_AreRejectedAndNamed) {
  const RankTest wide = test_ranks(conjugate_ranks(1.3, 0, 1, 1), 63);
  EXPECT_LT(wide.ecdf_p_value, 1e-6);
  EXPECT_LT(wide.chi_square_p_value, 1e-4);
  EXPECT_NEAR(wide.spread, 1.3, 0.15);
  EXPECT_TRUE(wide.shape().starts_with("hump-shaped: the draws are too wide, about 1.3 times")) << wide.shape();

  const RankTest narrow = test_ranks(conjugate_ranks(0.7, 0, 1, 1), 63);
  EXPECT_LT(narrow.smallest_p_value(), 1e-6);
  EXPECT_NEAR(narrow.spread, 0.7, 0.1);
  EXPECT_TRUE(narrow.shape().starts_with("U-shaped: the draws are too narrow")) << narrow.shape();

  const RankTest shifted = test_ranks(conjugate_ranks(1, 0.3, 1, 1), 63);
  EXPECT_LT(shifted.ecdf_p_value, 1e-6);
  EXPECT_NEAR(shifted.shift, 0.3, 0.1);
  EXPECT_TRUE(shifted.shape().starts_with("sloping: the draws are too high, by about 0.28 p")) << shifted.shape();

  const RankTest prior = test_ranks(conjugate_ranks(1, 0, 0.5, 1), 63);  // the fit believes in a tighter prior
  EXPECT_LT(prior.smallest_p_value(), 1e-6);
}

TEST(RankTest, ShapesThatAreBoth_AreNamedTogether) {
  const RankTest test = test_ranks(conjugate_ranks(1.6, -0.8, 1, 2), 63);
  EXPECT_TRUE(test.shape().starts_with("sloping: the draws are too low, by about ")) << test.shape();
  EXPECT_NE(test.shape().find("; hump-shaped: the draws are too wide"), std::string::npos) << test.shape();
}

TEST(RankTest, ManyReplicationsAndDraws_StayAffordable) {
  Ranks ranks(5000);
  fill_below({9, 0, 0, Purpose::data}, 1000, ranks);
  EXPECT_GT(test_ranks(ranks, 999).smallest_p_value(), 1e-4);  // false-alarm rate 3e-4
}

TEST(RankTest, WrongRanks_AreRefused) {
  EXPECT_EQ(testing::message_of<OptionError>([] { test_ranks({}, 3); }), "test_ranks: there are no ranks");
  EXPECT_EQ(testing::message_of<OptionError>([] { test_ranks(Ranks{4}, 3); }), "test_ranks: rank 4 among 3 draws");
  EXPECT_EQ(testing::message_of<OptionError>([] { test_ranks(Ranks{0}, 0); }),
            "test_ranks: ranks among 0 draws are all 0");
  EXPECT_EQ(testing::message_of<OptionError>([] { ecdf_band(10, 3, 1.0); }),
            "ecdf_band: level must lie between 0 and 1");
}

}  // namespace
}  // namespace sgmcmc
