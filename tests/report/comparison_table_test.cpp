// Comparisons as tables, as JSON and in words: every character of small ones, and the limits of large ones.
#include "report/comparison_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <sstream>
#include <string>

namespace sgmcmc {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

ParameterComparison parameter(const std::string& name, double mean_difference, double sd_ratio) {
  ParameterComparison p;
  p.name = name;
  p.reference_standard_deviation = 2.0;
  p.standard_deviation = 2.0 * sd_ratio;
  p.mean = 2.0 * mean_difference;
  p.mean_difference = mean_difference;
  p.mean_difference_mcse = 0.021;
  p.sd_ratio = sd_ratio;
  p.sd_ratio_mcse = 0.031;
  p.ks = 0.0214;
  p.ks_probability = 0.64;
  p.rhat = p.reference_rhat = 1.001;
  return p;
}

Comparison comparison_of(std::vector<ParameterComparison> parameters) {
  Comparison c;
  c.parameters = std::move(parameters);
  c.draws = c.compared_draws = 4000;
  c.reference_draws = 8000;
  c.compared_reference_draws = 2667;
  c.mean_error = {0.0123, 0.02};
  c.covariance_error = {0.34, 0.1};
  c.energy = {0.05, 0.06};
  c.mmd = {0.02, 0.03};
  c.gaussian_wasserstein = {0.3, 0.4};
  c.sliced_wasserstein = {0.1, 0.12};
  c.kl = {-0.01, 0.05};
  return c;
}

TEST(ComparisonTable, Parameters_ShowDifferencesWithTheirErrors) {
  const auto c = comparison_of({parameter("mu", 0.012, 1.02), parameter("beta[3]", -0.04, 1.18)});
  EXPECT_EQ(comparison_table(c),
            "name      mean diff  mcse sd ratio  mcse    ks     p\n"
            "mu            0.012 0.021    1.020 0.031 0.021 0.640\n"
            "beta[3] *    -0.040 0.021    1.180 0.031 0.021 0.640\n"
            "\n"
            "distance           value  noise\n"
            "E1 (means)        0.0123 0.0200\n"
            "E2 (covariances)   0.340  0.100\n"
            "energy distance   0.0500 0.0600\n"
            "MMD               0.0200 0.0300\n"
            "Gaussian W2        0.300  0.400\n"
            "sliced W2          0.100  0.120\n"
            "KL divergence    -0.0100 0.0500\n");
  std::istringstream lines(comparison_table(c, {32, 60}));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 32u) << line;
}

TEST(ComparisonTable, ManyParameters_AreCutToThoseThatDifferMost) {
  std::vector<ParameterComparison> parameters;
  for (int k = 1; k <= 100; ++k) parameters.push_back(parameter("x[" + std::to_string(k) + "]", 0.001 * k, 1.0));
  const std::string table = comparison_table(comparison_of(parameters));
  EXPECT_LT(table.find("x[100] *"), table.find("x[99] *"));
  EXPECT_EQ(table.find("x[80]"), std::string::npos);
  EXPECT_NE(table.find("\n... and 80 more that differ less (100 in all)\n"), std::string::npos);
  const std::string all = comparison_table(comparison_of(parameters), {80, 0});
  EXPECT_LT(all.find("x[1] "), all.find("x[100]"));
}

TEST(ComparisonWords, Differences_AreToldByTheirSize) {
  EXPECT_EQ(comparison_words(comparison_of({parameter("mu", 0.012, 1.02), parameter("s", 0.0, 0.99)})),
            "Means agree within Monte Carlo error (a difference of 0.063 sd would show); sds agree within Monte Carlo "
            "error (a difference of 9.4 % would show).");
  EXPECT_EQ(comparison_words(comparison_of({parameter("mu", 0.012, 1.02), parameter("beta[3]", 0.0, 1.18)})),
            "Means agree within Monte Carlo error (a difference of 0.063 sd would show); the sd of beta[3] is 18 % "
            "larger than in the reference.");
  EXPECT_EQ(
      comparison_words(comparison_of({parameter("mu", -0.31, 0.5), parameter("s", 0.2, 2.5)})),
      "2 of 2 means differ by more than Monte Carlo error, most that of mu: by 0.31 sd; 2 of 2 sds differ by more "
      "than Monte Carlo error, most that of s, which is 2.5 times that of the reference.");
  auto shape = parameter("mu", 0.0, 1.0);
  shape.ks = 0.08;
  shape.ks_probability = 1e-5;
  EXPECT_NE(comparison_words(comparison_of({shape}))
                .find(" But the distribution of mu has another shape (Kolmogorov-Smirnov distance 0.08, p = 1e-05)."),
            std::string::npos);
}

TEST(ComparisonWords, WhatCannotBeTold_IsSaid) {
  auto few = parameter("mu", 0.3, 1.5);
  few.mean_difference_mcse = few.sd_ratio_mcse = few.ks_probability = few.rhat = few.reference_rhat = nan;
  EXPECT_EQ(comparison_words(comparison_of({few})),
            "There are too few draws to tell a difference from Monte Carlo error.");
  auto fixed = parameter("f", -std::numeric_limits<double>::infinity(), nan);
  fixed.standard_deviation = fixed.reference_standard_deviation = 0.0;
  fixed.mean_difference_mcse = fixed.sd_ratio_mcse = fixed.ks_probability = nan;
  EXPECT_EQ(comparison_words(comparison_of({fixed})),
            "No variable changes in both sets. f is constant in both sets, but not the same.");
  auto stuck = parameter("s", -0.3, 0.0);
  stuck.standard_deviation = 0.0;
  stuck.sd_ratio_mcse = nan;
  auto apart = parameter("mu", 0.0, 1.0);
  apart.rhat = 1.31;
  const std::string words = comparison_words(comparison_of({stuck, apart}));
  EXPECT_NE(words.find(" s never changes in the first set."), std::string::npos) << words;
  EXPECT_NE(
      words.find(" The chains of the first set do not agree with one another (rhat of mu is 1.310): its Monte Carlo "
                 "errors are larger than shown."),
      std::string::npos)
      << words;
}

TEST(ComparisonCaption, WhatWasLeftOut_IsSaid) {
  auto c = comparison_of({parameter("mu", 0.5, 1.0), parameter("s", 0.0, 1.0)});
  c.gaussian_wasserstein.value = nan;
  EXPECT_EQ(
      comparison_caption(c),
      "Mean diff is in sds of the reference, mcse a Monte Carlo standard error; * differs by more than 3 of them. "
      "Noise is the larger of the distances between the halves of either set: a distance below it says nothing. "
      "The worst Kolmogorov-Smirnov distance is that of mu: 0.021, p = 1 for the worst of 2. Energy distance, MMD, "
      "sliced W2 and KL divergence are those of 4000 of 4000 and 2667 of 8000 draws. Covariances of so many "
      "variables are not compared.");
}

TEST(ComparisonJson, Numbers_AreWrittenUnderTheirNames) {
  auto p = parameter("mu", 0.5, 1.0);
  p.ks_probability = nan;
  auto c = comparison_of({p});
  c.only_in_draws = {"a", "b"};
  const std::string json = comparison_json(c);
  EXPECT_EQ(json.substr(0, json.find("\"z_limit\"")),
            "{\"parameters\": [\n"
            "  {\"name\": \"mu\", \"mean\": 1, \"reference_mean\": 0, \"sd\": 2, \"reference_sd\": 2, "
            "\"mean_difference\": 0.5, \"mean_difference_mcse\": 0.021, \"sd_ratio\": 1, \"sd_ratio_mcse\": 0.031, "
            "\"ks\": 0.0214, \"ks_p\": null, \"rhat\": 1.001, \"reference_rhat\": 1.001}\n"
            "],\n"
            "\"distances\": {\"e1\": {\"value\": 0.0123, \"noise\": 0.02}, \"e2\": {\"value\": 0.34, \"noise\": 0.1}, "
            "\"energy\": {\"value\": 0.05, \"noise\": 0.06}, \"mmd\": {\"value\": 0.02, \"noise\": 0.03}, "
            "\"gaussian_wasserstein\": {\"value\": 0.3, \"noise\": 0.4}, \"sliced_wasserstein\": {\"value\": 0.1, "
            "\"noise\": 0.12}, \"kl\": {\"value\": -0.01, \"noise\": 0.05}},\n");
  EXPECT_NE(
      json.find("\"only_in_draws\": [\"a\", \"b\"], \"only_in_reference\": [], \"verdict\": \"The mean of mu differs "
                "by 0.5 sd, more than Monte Carlo error; sds agree"),
      std::string::npos)
      << json;
}

TEST(DirichletTable, Components_AreListedWithTheirMean) {
  DirichletComparison d;
  d.distances = {0.01, 0.25};
  d.distance = 0.13;
  d.worst = 1;
  d.probability = 1e-9;
  d.undefined = 3;
  const std::vector<std::string> names = {"theta[1]", "theta[2]", "theta[3]"};
  EXPECT_EQ(dirichlet_table(d, names),
            "share taken by     ks\n"
            "theta[1]       0.0100\n"
            "theta[2]       0.2500\n"
            "mean           0.1300\n");
  EXPECT_EQ(
      dirichlet_words(d, names),
      "The draws do not have this Dirichlet law: theta[2] is 0.25 away, which chance makes with probability below "
      "1e-6 only. 3 shares were left out: rounding to 0 had left nothing to share.");
  EXPECT_EQ(dirichlet_json(d, names).substr(0, 61),
            "{\"components\": [\n  {\"name\": \"theta[1]\", \"ks\": 0.01},\n  {\"name");
}

}  // namespace
}  // namespace sgmcmc
