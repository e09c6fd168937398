// Comparisons parameter by parameter, their false-alarm rates, and draws on a simplex against Dirichlet distributions.
#include "diagnose/compare_sets.hpp"
#include "errors/message_of.hpp"

#include <sgmcmc/compare.hpp>
#include <sgmcmc/diagnose.hpp>
#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace sgmcmc {
namespace {

using testing::as_chains;
using testing::dirichlet_points;
using testing::message_of;
using testing::normal_points;
using testing::points;

MemoryDraws named(const std::vector<std::string>& names, const DrawPoints& from) {
  MemoryDraws draws;
  draws.begin(names, 1, from.count());
  for (std::size_t k = 0; k < from.count(); ++k) draws.write(0, from.point(k), 1.0);
  return draws;
}

TEST(Compare, EqualSets_DifferInNothing) {
  const MemoryDraws a = as_chains(normal_points(21, 3, 400, 5.0, 2.0), 4);
  const Comparison result = compare(a, a);
  for (const auto& parameter : result.parameters) {
    EXPECT_EQ(parameter.mean_difference, 0.0);
    EXPECT_EQ(parameter.sd_ratio, 1.0);
    EXPECT_EQ(parameter.ks, 0.0);
    EXPECT_EQ(parameter.ks_probability, 1.0);
    EXPECT_GT(parameter.mean_difference_mcse, 0.0);
  }
  EXPECT_EQ(result.mean_error.value, 0.0);
  EXPECT_EQ(result.covariance_error.value, 0.0);
  EXPECT_NEAR(result.energy.value, 0.0, 1e-7);
  EXPECT_NEAR(result.gaussian_wasserstein.value, 0.0, 1e-7);
  for (const auto& distance : {result.mean_error, result.covariance_error, result.energy, result.mmd,
                               result.gaussian_wasserstein, result.sliced_wasserstein})
    EXPECT_GT(distance.noise, 0.0);
}

TEST(Compare, Differences_AreInUnitsOfTheReference) {
  const DrawPoints base = normal_points(22, 2, 500);
  DrawPoints other = base;
  for (double& x : other.values) x = 10.0 + 4.0 * x;
  const MemoryDraws a = as_chains(other, 2), b = as_chains(base, 2);
  const auto result = compare(a, b);
  for (std::size_t j = 0; j < 2; ++j) {
    const auto& parameter = result.parameters[j];
    const double sd = b.standard_deviation(j);
    EXPECT_NEAR(parameter.sd_ratio, 4.0, 1e-12);
    EXPECT_NEAR(parameter.mean_difference, (a.mean(j) - b.mean(j)) / sd, 1e-12);
    const double ours = mcse_mean(QuantityDraws(a, j)), theirs = mcse_mean(QuantityDraws(b, j));
    EXPECT_NEAR(parameter.mean_difference_mcse, std::sqrt(ours * ours + theirs * theirs) / sd, 1e-12);
    // Both ratios have the same relative error, so that of their quotient is sqrt(2) times as large.
    EXPECT_NEAR(parameter.sd_ratio_mcse, 4.0 * std::sqrt(2.0) * mcse_sd(QuantityDraws(b, j)) / sd, 1e-12);
  }
  // The units of a parameter change no distance but E1 and E2.
  DrawPoints a_scaled = other, b_scaled = base;
  for (std::size_t k = 0; k < 500; ++k) {
    a_scaled.values[2 * k] *= 1024.0;
    b_scaled.values[2 * k] *= 1024.0;
  }
  const auto scaled = compare(as_chains(a_scaled, 2), as_chains(b_scaled, 2));
  EXPECT_NEAR(scaled.energy.value, result.energy.value, 1e-12);
  EXPECT_NEAR(scaled.kl.value, result.kl.value, 1e-12);
  EXPECT_NEAR(scaled.sliced_wasserstein.value, result.sliced_wasserstein.value, 1e-12);
  EXPECT_NEAR(scaled.gaussian_wasserstein.value, result.gaussian_wasserstein.value, 1e-12);
}

TEST(Compare, AnyNumberOfThreads_GivesTheSameComparison) {
  const MemoryDraws a = as_chains(normal_points(23, 5, 600), 3), b = as_chains(normal_points(24, 5, 500, 0.2), 2);
  CompareOptions options;
  options.most_draws = 200;
  options.threads = 1;
  const auto one = compare(a, b, options);
  options.threads = 5;
  const auto five = compare(a, b, options);
  EXPECT_EQ(one.compared_draws, 201u) << "67 of every chain";
  for (std::size_t j = 0; j < 5; ++j) {
    EXPECT_EQ(one.parameters[j].mean_z(), five.parameters[j].mean_z());
    EXPECT_EQ(one.parameters[j].ks_probability, five.parameters[j].ks_probability);
  }
  for (const auto member :
       {&Comparison::mean_error, &Comparison::covariance_error, &Comparison::energy, &Comparison::mmd,
        &Comparison::gaussian_wasserstein, &Comparison::sliced_wasserstein, &Comparison::kl}) {
    EXPECT_EQ((one.*member).value, (five.*member).value);
    EXPECT_EQ((one.*member).noise, (five.*member).noise);
  }
}

// False-alarm rate: 1 % for all means and sds together by the limit itself. Here 20 comparisons of equal distributions,
// with autocorrelated chains: more than 3 alarms have probability 5e-5. A mean that is 0.5 sd off is always detected.
TEST(Compare, EqualLaws_SeldomRaiseTheAlarm) {
  const auto chains = [](std::uint64_t seed, double shift) {
    DrawPoints from = normal_points(seed, 2, 2000);
    for (std::size_t k = 2; k < from.values.size(); ++k)
      from.values[k] = 0.6 * from.values[k - 2] + 0.8 * from.values[k];
    for (double& x : from.values) x += shift;
    return as_chains(from, 4);
  };
  CompareOptions options;
  options.most_draws = 20;  // the distances are not tested here
  options.directions = 1;
  options.threads = 1;
  int alarms = 0, seen = 0, ks_alarms = 0;
  for (std::uint64_t k = 0; k < 20; ++k) {
    const MemoryDraws b = chains(101 + 2 * k, 0.0);
    const auto same = compare(chains(100 + 2 * k, 0.0), b, options),
               other = compare(chains(100 + 2 * k, 0.5), b, options);
    bool alarm = false, found = false, ks_alarm = false;
    for (std::size_t j = 0; j < 2; ++j) {
      alarm = alarm || std::abs(same.parameters[j].mean_z()) > same.z_limit() ||
              std::abs(same.parameters[j].sd_z()) > same.z_limit();
      ks_alarm = ks_alarm || same.parameters[j].ks_probability < 0.005;
      found = found || std::abs(other.parameters[j].mean_z()) > other.z_limit();
      EXPECT_LT(other.parameters[j].ks_probability, 0.001);
    }
    alarms += alarm;
    ks_alarms += ks_alarm;
    seen += found;
  }
  EXPECT_LE(alarms, 3);
  EXPECT_LE(ks_alarms, 3);
  EXPECT_EQ(seen, 20);
}

TEST(Compare, DistancesOfEqualLaws_StayBelowTheirNoise) {
  const MemoryDraws b = as_chains(normal_points(32, 4, 800, 1.0), 4);
  CompareOptions options;
  options.directions = 50;
  const auto result = compare(as_chains(normal_points(31, 4, 800, 1.0), 4), b, options);
  EXPECT_LT(result.energy.value, result.energy.noise);
  EXPECT_LT(result.mmd.value, result.mmd.noise);
  EXPECT_LT(result.sliced_wasserstein.value, result.sliced_wasserstein.noise);
  const auto wrong = compare(as_chains(normal_points(31, 4, 800, 1.4), 4), b, options);
  EXPECT_GT(wrong.energy.value, 2.0 * wrong.energy.noise);
  EXPECT_GT(wrong.mmd.value, 2.0 * wrong.mmd.noise);
  EXPECT_GT(wrong.sliced_wasserstein.value, 2.0 * wrong.sliced_wasserstein.noise);
}

TEST(Compare, OtherVariables_AreNamedAndLeftOut) {
  const auto result =
      compare(named({"a", "b", "c"}, normal_points(25, 3, 50)), named({"c", "d", "b"}, normal_points(26, 3, 50)));
  ASSERT_EQ(result.parameters.size(), 2u);
  EXPECT_EQ(result.parameters[0].name, "b");
  EXPECT_EQ(result.only_in_draws, std::vector<std::string>{"a"});
  EXPECT_EQ(result.only_in_reference, std::vector<std::string>{"d"});
}

TEST(Compare, ConstantParameters_AreNoTrouble) {
  DrawPoints a = normal_points(27, 3, 100), b = normal_points(28, 3, 100);
  for (std::size_t k = 0; k < 100; ++k) {
    a.values[3 * k + 1] = b.values[3 * k + 1] = 0.1;
    b.values[3 * k + 2] = 0.1;
  }
  const auto result = compare(as_chains(a, 1), as_chains(b, 1));
  EXPECT_EQ(result.parameters[1].mean_difference, 0.0);
  EXPECT_EQ(result.parameters[1].ks, 0.0);
  EXPECT_EQ(result.parameters[2].reference_standard_deviation, 0.0);
  EXPECT_GT(result.parameters[2].ks, 0.3);
  EXPECT_TRUE(std::isfinite(result.energy.value));
  EXPECT_TRUE(std::isfinite(result.gaussian_wasserstein.value));
}

TEST(Compare, DrawsThatCannotBeCompared_AreRefused) {
  const auto one = normal_points(29, 1, 10);
  EXPECT_EQ(message_of<OptionError>([&] { compare(named({"a"}, one), named({"b"}, one)); }),
            "the two sets of draws have no parameter of the same name; compare draws of one model");
  EXPECT_EQ(message_of<OptionError>([&] { compare(named({"a"}, points(1, {1.0})), named({"a"}, one)); }),
            "the first set has a single draw; a comparison needs at least two, and some hundreds to be informative");
  EXPECT_EQ(message_of<OptionError>([&] {
              compare(named({"a"}, one), named({"a"}, points(1, {1.0, std::numeric_limits<double>::infinity()})));
            }),
            "the reference has a non-finite number: a is inf in draw 2 of chain 1; compare the variables that "
            "are finite");
}

// For draws from the distribution itself, the transformed shares are uniform, and so is p: it is below 1e-4 with
// probability 1e-4 in each case. Sparse distributions have most shares within rounding of 0 and 1.
TEST(Dirichlet, IndependentDraws_AgreeWithTheirLawAndNoOther) {
  for (const auto& law : std::vector<std::vector<double>>{
           {1, 2, 3}, {0.1, 0.1}, std::vector<double>(10, 0.1), {112.1, 119.1, 92.1}, {0.01, 5, 0.3, 40}}) {
    const MemoryDraws draws = as_chains(dirichlet_points(41, law, 4000), 4);
    std::vector<std::size_t> all(law.size());
    for (std::size_t k = 0; k < all.size(); ++k) all[k] = k;
    const auto right = compare_with_dirichlet(draws, all, law);
    EXPECT_EQ(right.distances.size(), law.size() - 1);
    EXPECT_GT(right.probability, 1e-4) << law.size() << " from " << law[0];
    EXPECT_LT(right.distance, 0.03);
    auto wrong = law;
    wrong[0] *= 1.3;
    EXPECT_LT(compare_with_dirichlet(draws, all, wrong).probability, 1e-4) << law.size() << " from " << law[0];
  }
}

TEST(Dirichlet, HandMadeDraws_AreTransformedAsDefined) {
  // Dirichlet(1, 1): the first component is uniform itself.
  const MemoryDraws two = as_chains(points(2, {0.1, 0.9, 0.5, 0.5}), 1);
  const std::vector<std::size_t> both = {0, 1};
  EXPECT_NEAR(compare_with_dirichlet(two, both, std::vector<double>{1, 1}).distance, 0.5, 1e-15);
  // Dirichlet(1, 1, 1): 1 - (1 - x)^2 of the first, then x_2 / (x_2 + x_3), uniform. The last draw leaves nothing.
  const MemoryDraws three = as_chains(points(3, {0.5, 0.2, 0.3, 1.0, 0.0, 0.0}), 1);
  const std::vector<std::size_t> all = {0, 1, 2};
  const auto result = compare_with_dirichlet(three, all, std::vector<double>{1, 1, 1});
  EXPECT_NEAR(result.distances[0], 0.75, 1e-15);
  EXPECT_NEAR(result.distances[1], 0.6, 1e-15);
  EXPECT_EQ(result.undefined, 1u);
  EXPECT_EQ(result.worst, 0u);
}

TEST(Dirichlet, DrawsOffTheSimplex_AreRefused) {
  const std::vector<std::size_t> both = {0, 1};
  const MemoryDraws draws = as_chains(points(2, {0.5, 0.5, 0.7, 0.5}), 1);
  EXPECT_EQ(message_of<OptionError>([&] {
              compare_with_dirichlet(draws, both, std::vector<double>{1, 1});
            }),
            "draw 2 of chain 1 is not on a simplex: x[1] to x[2] add up to 1.200000; choose the components of one "
            "simplex");
  EXPECT_EQ(
      message_of<OptionError>([&] {
        compare_with_dirichlet(draws, both, std::vector<double>{1, 1, 1});
      }),
      "the Dirichlet distribution has 3 concentrations, but 2 parameters are compared with it; choose one simplex of 3 "
      "components");
  EXPECT_EQ(message_of<OptionError>([&] {
              compare_with_dirichlet(draws, both, std::vector<double>{1, 0});
            }),
            "a concentration is 0.000000; concentrations must be finite and positive");
}

}  // namespace
}  // namespace sgmcmc
