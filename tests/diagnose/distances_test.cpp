// Distances between sets of draws: closed forms, symmetry, weights, and independence of the number of threads.
#include "diagnose/compare_sets.hpp"
#include "errors/message_of.hpp"

#include <sgmcmc/compare.hpp>
#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <vector>

namespace sgmcmc {
namespace {

using testing::message_of;
using testing::normal_points;
using testing::points;

/// Every distance that compares two sets of points.
const std::vector<std::pair<std::string, std::function<double(const DrawPoints&, const DrawPoints&, int)>>> distances =
    {{"E1", [](const auto& a, const auto& b, int threads) { return relative_errors(a, b, threads).mean; }},
     {"E2", [](const auto& a, const auto& b, int threads) { return relative_errors(a, b, threads).covariance; }},
     {"energy", [](const auto& a, const auto& b, int threads) { return energy_distance(a, b, threads); }},
     {"mmd", [](const auto& a, const auto& b, int threads) { return maximum_mean_discrepancy(a, b, 1.3, threads); }},
     {"gaussian", [](const auto& a, const auto& b, int) { return gaussian_wasserstein(a, b); }},
     {"sliced", [](const auto& a, const auto& b, int threads) { return sliced_wasserstein(a, b, 50, 3, threads); }},
     {"kl", [](const auto& a, const auto& b, int threads) { return kl_divergence(a, b, 3, threads); }}};

TEST(Distances, EqualSets_AreAtDistanceZero) {
  const DrawPoints a = normal_points(1, 3, 200, 1.0, 2.0);
  for (const auto& [name, distance] : distances) {
    if (name == "kl") continue;
    EXPECT_NEAR(distance(a, a, 1), 0.0, 3e-7) << name;
  }
  EXPECT_EQ(relative_errors(a, a).covariance, 0.0);
  EXPECT_EQ(ks_distance(a.values, a.values), 0.0);
  EXPECT_EQ(sliced_wasserstein(a, a), 0.0);
}

TEST(Distances, TwoSetsSwapped_AreAsFarApart) {
  const DrawPoints a = normal_points(2, 4, 150), b = normal_points(3, 4, 90, 0.3, 1.4);
  for (const auto& [name, distance] : distances) {
    if (name == "kl" || name[0] == 'E') continue;
    EXPECT_NEAR(distance(a, b, 1), distance(b, a, 1), 1e-12 * distance(a, b, 1)) << name;
  }
  EXPECT_DOUBLE_EQ(ks_distance(a.values, b.values), ks_distance(b.values, a.values));
}

TEST(Distances, AnyNumberOfThreads_GivesTheSameNumber) {
  const DrawPoints a = normal_points(4, 140, 300), b = normal_points(5, 140, 333, 0.1);
  for (const auto& [name, distance] : distances) {
    const double one = distance(a, b, 1);
    EXPECT_TRUE(std::isfinite(one)) << name;
    for (const int threads : {2, 3, 7}) EXPECT_EQ(distance(a, b, threads), one) << name << " on " << threads;
  }
}

// A weight of 2 is equivalent to a draw that occurs twice, a weight of 0 to no draw.
TEST(Distances, WholeWeights_CountDrawsThatStandThereAgain) {
  const DrawPoints plain = normal_points(6, 2, 40), reference = normal_points(7, 2, 50, 0.5);
  DrawPoints weighted = plain, repeated;
  repeated.dimension = 2;
  for (std::size_t k = 0; k < plain.count(); ++k) {
    weighted.weights.push_back(static_cast<double>(k % 3));
    for (std::size_t times = 0; times < k % 3; ++times)
      repeated.values.insert(repeated.values.end(), plain.point(k).begin(), plain.point(k).end());
  }
  for (const auto& [name, distance] : distances) {
    EXPECT_NEAR(distance(weighted, reference, 1), distance(repeated, reference, 1), 1e-12) << name;
    EXPECT_NEAR(distance(reference, weighted, 1), distance(reference, repeated, 1), 1e-12) << name;
  }
  EXPECT_NEAR(ks_distance(std::vector{1.0, 2.0, 3.0}, std::vector{1.5, 2.5}, std::vector{0.0, 1.0, 2.0}),
              ks_distance(std::vector{2.0, 3.0, 3.0}, std::vector{1.5, 2.5}), 1e-15);
}

TEST(RelativeErrors, SmallSets_AreThoseOfTheDefinition) {
  // Means (1, 2) and (2, 2); covariances, with the number of draws as denominator, ((1, 1), (1, 1)) and ((4, 0), (0,
  // 1)).
  const DrawPoints a = points(2, {0, 1, 2, 3}), b = points(2, {0, 1, 4, 1, 0, 3, 4, 3});
  const auto errors = relative_errors(a, b);
  EXPECT_DOUBLE_EQ(errors.mean, 1.0 / 4.0);
  EXPECT_DOUBLE_EQ(errors.covariance, (3.0 + 1.0 + 1.0 + 0.0) / 5.0);
  EXPECT_TRUE(std::isnan(relative_errors(a, points(2, {-1, 0, 1, 0})).mean)) << "means of 0 have no relative error";
}

TEST(RelativeErrors, CovariancesOfManyParameters_AreAllCounted) {
  const DrawPoints b = normal_points(16, 140, 30);  // more than one tile of the covariance
  DrawPoints a = b;
  for (double& x : a.values) x *= 2.0;
  EXPECT_NEAR(relative_errors(a, b).mean, 1.0, 1e-12);
  EXPECT_NEAR(relative_errors(a, b).covariance, 3.0, 1e-12);
  // With the signs of one parameter swapped,
  // every entry of its row and column but the diagonal changes by twice its size.
  a = b;
  for (std::size_t k = 0; k < a.count(); ++k) a.values[k * 140 + 137] *= -1.0;
  double changed = 0.0, all = 0.0;
  std::vector<double> mean(140, 0.0);
  for (std::size_t k = 0; k < 30; ++k)
    for (std::size_t j = 0; j < 140; ++j) mean[j] += b.point(k)[j] / 30.0;
  for (std::size_t i = 0; i < 140; ++i)
    for (std::size_t j = 0; j < 140; ++j) {
      double covariance = 0.0;
      for (std::size_t k = 0; k < 30; ++k) covariance += (b.point(k)[i] - mean[i]) * (b.point(k)[j] - mean[j]) / 30.0;
      all += std::abs(covariance);
      if ((i == 137) != (j == 137)) changed += 2.0 * std::abs(covariance);
    }
  EXPECT_NEAR(relative_errors(a, b).covariance, changed / all, 1e-12);
}

TEST(EnergyDistance, TwoPointMasses_AreTheRootOfTwiceTheirDistanceApart) {
  const DrawPoints a = points(2, {0, 0, 0, 0, 0, 0}), b = points(2, {3, 4});
  EXPECT_DOUBLE_EQ(energy_distance(a, b), std::sqrt(2.0 * 5.0));
}

TEST(MaximumMeanDiscrepancy, TwoPointMasses_FollowTheKernel) {
  const DrawPoints a = points(2, {0, 0}), b = points(2, {3, 4, 3, 4});
  EXPECT_NEAR(maximum_mean_discrepancy(a, b, 5.0), std::sqrt(2.0 - 2.0 * std::exp(-0.5)), 1e-15);
  // The median distance in the reference {0, 2}, both ways, is 2.
  const DrawPoints c = points(1, {0, 2}), d = points(1, {0});
  EXPECT_NEAR(maximum_mean_discrepancy(d, c), maximum_mean_discrepancy(d, c, 2.0), 1e-15);
}

TEST(GaussianWasserstein, CommutingCovariances_HaveTheClosedForm) {
  // Four points of a cross have a diagonal covariance: axes a, b give (a^2 / 2, b^2 / 2).
  const auto cross = [](double a, double b, double x, double y) {
    return points(2, {x + a, y, x - a, y, x, y + b, x, y - b});
  };
  const double root = std::sqrt(0.5);
  EXPECT_NEAR(gaussian_wasserstein(cross(1, 2, 0, 0), cross(4, 7, 3, -4)),
              std::sqrt(25.0 + std::pow(3.0 * root, 2) + std::pow(5.0 * root, 2)), 1e-12);
  EXPECT_NEAR(gaussian_wasserstein(points(1, {-1, 1}), points(1, {3, 9})), std::sqrt(36.0 + 4.0), 1e-12);
}

TEST(GaussianWasserstein, OneLawStretchedAlongAnother_MovesEveryPointStraight) {
  // y = M x with M symmetric and positive definite is the optimal map: the distance is the root mean square of |y - x|.
  const DrawPoints x = normal_points(8, 3, 500);
  const double m[3][3] = {{2.0, 0.5, 0.1}, {0.5, 1.5, -0.3}, {0.1, -0.3, 0.8}};
  DrawPoints y = x;
  double squares = 0.0;
  for (std::size_t k = 0; k < x.count(); ++k)
    for (std::size_t i = 0; i < 3; ++i) {
      double sum = 0.0;
      for (std::size_t j = 0; j < 3; ++j) sum += m[i][j] * x.point(k)[j];
      y.values[3 * k + i] = sum;
      squares += (sum - x.point(k)[i]) * (sum - x.point(k)[i]);
    }
  EXPECT_NEAR(gaussian_wasserstein(x, y), std::sqrt(squares / 500.0), 1e-12);
}

TEST(GaussianWasserstein, DependentParameters_AreNoTrouble) {
  DrawPoints a = normal_points(9, 1, 300), line;
  line.dimension = 3;
  for (const double x : a.values) line.values.insert(line.values.end(), {x, 2.0 * x, -2.0 * x});
  DrawPoints shifted = line;
  for (double& x : shifted.values) x += 1.0;
  EXPECT_NEAR(gaussian_wasserstein(line, line), 0.0, 1e-7);
  EXPECT_NEAR(gaussian_wasserstein(line, shifted), std::sqrt(3.0), 1e-12);
}

TEST(SlicedWasserstein, OneDimension_IsTheDistanceOfSortedValues) {
  EXPECT_NEAR(sliced_wasserstein(points(1, {3, 1, 2}), points(1, {2, 6, 4})), std::sqrt((1 + 4 + 9) / 3.0), 1e-15);
  // Two against three: shares of 1/3, 1/6, 1/6, 1/3 meet.
  EXPECT_NEAR(sliced_wasserstein(points(1, {0, 1}), points(1, {0, 1, 2})), std::sqrt(1.0 / 6.0 + 1.0 / 3.0), 1e-15);
}

TEST(SlicedWasserstein, ShiftedSet_IsAwayByTheMeanProjectionOfTheShift) {
  const DrawPoints a = normal_points(10, 5, 100);
  DrawPoints b = a;
  for (double& x : b.values) x += 2.0;  // |shift|^2 = 20; its mean square along a direction is 20 / 5
  EXPECT_NEAR(sliced_wasserstein(a, b, 5000), 2.0, 0.05);
  EXPECT_NE(sliced_wasserstein(a, b, 10, 1), sliced_wasserstein(a, b, 10, 2)) << "other directions";
}

TEST(KolmogorovSmirnov, HandMadeSets_AreAsFarApartAsDrawn) {
  EXPECT_DOUBLE_EQ(ks_distance(std::vector{1.0, 2.0, 3.0, 4.0}, std::vector{2.5, 3.5}), 0.5);
  EXPECT_DOUBLE_EQ(ks_distance(std::vector{1.0, 1.0, 2.0}, std::vector{1.0, 2.0, 2.0}), 1.0 / 3.0) << "ties";
  EXPECT_DOUBLE_EQ(ks_distance(std::vector{0.0}, std::vector{1.0, 2.0}), 1.0);
  EXPECT_DOUBLE_EQ(ks_distance_from_uniform(std::vector{0.1, 0.5}), 0.5);
  EXPECT_DOUBLE_EQ(ks_distance_from_uniform(std::vector{0.25, 0.75}), 0.25);
  EXPECT_TRUE(std::isnan(ks_distance(std::vector{std::nan("")}, std::vector{1.0})));
}

TEST(KolmogorovSmirnov, Probabilities_AreThoseOfTheLimitLaw) {
  // Quantiles of Kolmogorov's law; a large size makes the correction vanish.
  const double size = 1e12;
  for (const auto& [x, probability] : std::vector<std::pair<double, double>>{{1.2238478702170823, 0.10},
                                                                             {1.3580986393225505, 0.05},
                                                                             {1.6276236115189503, 0.01},
                                                                             {0.8275735551899077, 0.5}})
    EXPECT_NEAR(ks_probability(x / std::sqrt(size), size), probability, 1e-6);
  EXPECT_NEAR(ks_probability((1.0 - 1e-9) / std::sqrt(size), size),
              ks_probability((1.0 + 1e-9) / std::sqrt(size), size), 1e-6)
      << "both series agree where they meet";
  EXPECT_EQ(ks_probability(0.0, 100.0), 1.0);
  EXPECT_LT(ks_probability(0.9, 100.0), 1e-12);
  EXPECT_TRUE(std::isnan(ks_probability(0.1, std::nan(""))));
}

// Between N(0.5, 0.7^2) and N(0, 1) per coordinate: log(1 / 0.7) + (0.49 + 0.25) / 2 - 1/2. From 1500 draws of two
// coordinates the estimate has a standard deviation of about 0.03 and a bias of about as much: 0.15 is more than three
// of both. A mutant that takes the neighbours of the wrong set, the divergence the other way round, is 0.38 off.
TEST(KlDivergence, TwoNormalLaws_GiveTheClosedForm) {
  const DrawPoints a = normal_points(11, 2, 1500, 0.5, 0.7), b = normal_points(12, 2, 1500);
  const double expected = 2.0 * (-std::log(0.7) + (0.49 + 0.25) / 2.0 - 0.5);
  EXPECT_NEAR(kl_divergence(a, b), expected, 0.15);
  const double other_way = 2.0 * (std::log(0.7) + (1.0 + 0.25) / (2.0 * 0.49) - 0.5);
  EXPECT_GT(std::abs(other_way - expected), 0.38);
  EXPECT_LT(kl_divergence(b, a), other_way) << "thin tails of the reference hold no neighbours: less is found";
  EXPECT_NEAR(kl_divergence(normal_points(13, 2, 1500), b), 0.0, 0.1);
}

TEST(KlDivergence, SmallSets_AreThoseOfTheDefinition) {
  // Nearest neighbours (k = 1) of 0, 1, 3 among themselves: 1, 1, 2; in {0.25, 3.5, 9}: 0.25, 0.75, 0.5. Balls of 1, 1,
  // 2 hold 1, 1, 1 of their own and 1, 1, 1 of the others: digammas cancel and log(3 / 2) is left.
  EXPECT_NEAR(kl_divergence(points(1, {0, 1, 3}), points(1, {0.25, 3.5, 9}), 1), std::log(1.5), 1e-14);
}

TEST(KlDivergence, RepeatedDraws_AreNoNeighboursOfThemselves) {
  const DrawPoints a = normal_points(14, 2, 300), b = normal_points(15, 2, 400);
  DrawPoints repeated;
  repeated.dimension = 2;
  for (std::size_t k = 0; k < a.count(); ++k)
    for (int times = 0; times < 4; ++times)
      repeated.values.insert(repeated.values.end(), a.point(k).begin(), a.point(k).end());
  EXPECT_NEAR(kl_divergence(repeated, b), kl_divergence(a, b), 1e-12);
  EXPECT_TRUE(std::isnan(kl_divergence(points(1, std::vector<double>(50, 1.0)), points(1, {1, 2, 3, 4, 5, 6, 7}))));
}

// Draws that take two values with probabilities 0.3 and 0.7, against 0.5 and 0.5: ties are the law itself, and the
// divergence is that of the two discrete laws up to 1/n.
TEST(KlDivergence, DiscreteDraws_CompareTheirShares) {
  std::vector<double> a, b;
  for (int k = 0; k < 1000; ++k) {
    a.push_back(k * 7 % 10 < 3 ? 0.0 : 1.0);
    b.push_back(k % 2);
  }
  const double expected = 0.3 * std::log(0.3 / 0.5) + 0.7 * std::log(0.7 / 0.5);
  EXPECT_NEAR(kl_divergence(points(1, a), points(1, b)), expected, 0.02);
}

TEST(Distances, SetsThatDoNotFit_AreRefused) {
  EXPECT_EQ(message_of<OptionError>([] {
              energy_distance(points(2, {1, 2}), points(1, {1}));
            }),
            "draws of 2 parameters cannot be compared with draws of 1; choose the same parameters of both");
  EXPECT_EQ(message_of<OptionError>([] {
              kl_divergence(points(2, {}), points(2, {1, 2}));
            }),
            "one of the two sets has no draws");
}

TEST(DrawPoints, MoreDrawsThanWanted_AreTakenEvenlyFromAllChains) {
  std::vector<double> values(1000);
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<double>(k);
  const MemoryDraws draws = testing::as_chains(points(1, values), 4);
  const std::vector<std::size_t> first = {0};
  const auto some = draw_points(draws, first, 100);
  ASSERT_EQ(some.count(), 100u);
  for (std::size_t k = 1; k < 100; ++k) EXPECT_EQ(some.values[k] - some.values[k - 1], 10.0);
  EXPECT_EQ(draw_points(draws, first, 0).count(), 1000u);
  const auto early = draw_points(draws, first, 0, ChainPart::first_half);
  const auto late = draw_points(draws, first, 0, ChainPart::second_half);
  EXPECT_EQ(early.values[124], 124.0);
  EXPECT_EQ(early.values[125], 250.0) << "of the second chain";
  EXPECT_EQ(late.values[0], 125.0);
}

}  // namespace
}  // namespace sgmcmc
