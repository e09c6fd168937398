// Autocovariances against plain sums, weighted diagnostics against their definition, chains of unequal length, and
// errors.
#include "diagnose/fourier.hpp"
#include "errors/message_of.hpp"

#include <sgmcmc/diagnose.hpp>
#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace sgmcmc {
namespace {

using testing::message_of;

std::vector<double> autoregression(std::mt19937_64& generator, std::size_t length, double phi) {
  std::normal_distribution<double> normal;
  std::vector<double> x(length);
  double previous = normal(generator) / std::sqrt(1.0 - phi * phi);
  for (double& value : x) previous = value = phi * previous + normal(generator);
  return x;
}

TEST(Autocovariance, SeriesOfAnyLength_GiveThePlainSums) {
  std::mt19937_64 generator(1);
  Autocovariance autocovariance;
  for (const std::size_t length : {1, 2, 3, 4, 5, 8, 17, 64, 100, 257})
    for (const std::size_t count : {1, 2, 3}) {
      std::vector<double> values;
      std::vector<double> expected(length);
      for (std::size_t series = 0; series < count; ++series) {
        const auto x = autoregression(generator, length, 0.6);
        values.insert(values.end(), x.begin(), x.end());
        double mean = 0.0;
        for (const double v : x) mean += v / static_cast<double>(length);
        for (std::size_t lag = 0; lag < length; ++lag)
          for (std::size_t k = 0; k + lag < length; ++k)
            expected[lag] += (x[k] - mean) * (x[k + lag] - mean) / static_cast<double>(length * count);
      }
      const auto found = autocovariance.mean_of(values, length);
      ASSERT_EQ(found.size(), length);
      for (std::size_t lag = 0; lag < length; ++lag)
        EXPECT_NEAR(found[lag], expected[lag], 1e-13) << length << " x " << count << " at lag " << lag;
    }
}

TEST(WeightedDiagnostics, WeightsTimesAConstant_ChangeNothing) {
  std::mt19937_64 generator(2);
  std::uniform_real_distribution<double> uniform(0.1, 1.0);
  QuantityDraws one, other;
  for (int c = 0; c < 3; ++c) {
    one.chains.push_back(autoregression(generator, 200, 0.5));
    one.weights.emplace_back();
    for (int k = 0; k < 200; ++k) one.weights.back().push_back(uniform(generator));
  }
  other = one;
  for (auto& weights : other.weights)
    for (double& w : weights) w *= 1024.0;
  EXPECT_DOUBLE_EQ(rhat(one), rhat(other));
  EXPECT_DOUBLE_EQ(ess_bulk(one), ess_bulk(other));
  EXPECT_DOUBLE_EQ(ess_tail(one), ess_tail(other));
  EXPECT_DOUBLE_EQ(mcse_mean(one), mcse_mean(other));
  EXPECT_DOUBLE_EQ(mcse_sd(one), mcse_sd(other));
  EXPECT_DOUBLE_EQ(mcse_quantile(one, 0.3), mcse_quantile(other, 0.3));
}

TEST(WeightedDiagnostics, ErrorOfTheMean_IsThatOfTheLinearisedSeries) {
  std::mt19937_64 generator(3);
  QuantityDraws draws, linearised;
  draws.chains = {autoregression(generator, 300, 0.7), autoregression(generator, 300, 0.7)};
  double total = 0.0, sum = 0.0;
  draws.weights.assign(2, {});
  for (std::size_t c = 0; c < 2; ++c)
    for (std::size_t k = 0; k < 300; ++k) {
      draws.weights[c].push_back(std::pow(1.0 + static_cast<double>(k), -1.0 / 3.0));
      total += draws.weights[c][k];
      sum += draws.weights[c][k] * draws.chains[c][k];
    }
  linearised.chains = draws.chains;
  for (std::size_t c = 0; c < 2; ++c)
    for (std::size_t k = 0; k < 300; ++k)
      linearised.chains[c][k] = draws.weights[c][k] * (draws.chains[c][k] - sum / total) * (600.0 / total);
  // The weighted variance with n - 1 for the effective size, with total - sum(w^2) / total for the standard deviation.
  double squares = 0.0;
  for (const auto& weights : draws.weights)
    for (const double w : weights) squares += w * w;
  const double kish = total * total / squares;
  const double correction = std::sqrt((599.0 / 600.0) / ((kish - 1.0) / kish));
  EXPECT_NEAR(mcse_mean(draws), mcse_mean(linearised) * correction, 1e-12);
  EXPECT_DOUBLE_EQ(summarise(draws).mean, sum / total);
}

// Independent draws: the effective size of a weighted mean is Kish's (sum w)^2 / sum w^2. Its estimate from 40,000
// draws is good to a few percent; without the weights it would be off by 45 %.
TEST(WeightedDiagnostics, IndependentDraws_HaveKishsEffectiveSize) {
  std::mt19937_64 generator(4);
  std::normal_distribution<double> normal;
  std::exponential_distribution<double> exponential;
  QuantityDraws draws;
  double total = 0.0, squares = 0.0;
  for (int c = 0; c < 4; ++c) {
    draws.chains.emplace_back();
    draws.weights.emplace_back();
    for (int k = 0; k < 10'000; ++k) {
      draws.chains.back().push_back(normal(generator));
      draws.weights.back().push_back(0.1 + exponential(generator));
      total += draws.weights.back().back();
      squares += draws.weights.back().back() * draws.weights.back().back();
    }
  }
  const double kish = total * total / squares;
  EXPECT_LT(kish, 0.6 * 40'000.0);
  EXPECT_NEAR(ess_mean(draws) / kish, 1.0, 0.06);
  EXPECT_NEAR(ess_bulk(draws) / kish, 1.0, 0.06);
  EXPECT_NEAR(ess_quantile(draws, 0.5) / kish, 1.0, 0.06);
  EXPECT_NEAR(rhat(draws), 1.0, 0.002);
}

TEST(WeightedDiagnostics, QuantilesAndMoments_AreThoseOfMemoryDraws) {
  MemoryDraws memory;
  const std::vector<std::string> names = {"x"};
  std::mt19937_64 generator(5);
  const auto x = autoregression(generator, 50, 0.2);
  memory.begin(names, 1, 50);
  for (std::size_t k = 0; k < 50; ++k) memory.write(0, {&x[k], 1}, 1.0 / static_cast<double>(1 + k));
  const auto summary = summarise(QuantityDraws(memory, 0));
  EXPECT_NEAR(summary.mean, memory.mean(0), 1e-14);
  EXPECT_NEAR(summary.standard_deviation, memory.standard_deviation(0), 1e-14);
  EXPECT_NEAR(summary.q5, memory.quantile(0, 0.05), 1e-13);
  EXPECT_NEAR(summary.q50, memory.quantile(0, 0.5), 1e-13);
  EXPECT_NEAR(summary.q95, memory.quantile(0, 0.95), 1e-13);
}

TEST(WeightedDiagnostics, EqualWeightsInMemory_AreLeftOut) {
  MemoryDraws memory;
  const std::vector<std::string> names = {"a", "b"};
  memory.begin(names, 2, 2);
  for (std::size_t c = 0; c < 2; ++c)
    for (int k = 0; k < 2; ++k) memory.write(c, std::vector<double>{1.0 * k, 10.0 * static_cast<double>(c)}, 0.5);
  const QuantityDraws b(memory, 1);
  EXPECT_TRUE(b.weights.empty());
  EXPECT_EQ(b.chains, (std::vector<std::vector<double>>{{0.0, 0.0}, {10.0, 10.0}}));
}

TEST(Diagnose, ChainsOfUnequalLength_AreComparedOverTheShortest) {
  std::mt19937_64 generator(6);
  QuantityDraws equal, unequal;
  equal.chains = {autoregression(generator, 80, 0.4), autoregression(generator, 80, 0.4)};
  unequal = equal;
  unequal.chains[1].insert(unequal.chains[1].end(), {100.0, 101.0, 102.0});
  unequal.chains.emplace_back();  // a chain that never started
  EXPECT_EQ(rhat(equal), rhat(unequal));
  EXPECT_EQ(ess_bulk(equal), ess_bulk(unequal));
  EXPECT_EQ(ess_tail(equal), ess_tail(unequal));
  EXPECT_GT(summarise(unequal).mean, summarise(equal).mean) << "the mean uses every draw";
}

TEST(Diagnose, NoDraws_CannotBeTold) {
  for (const QuantityDraws& draws : {QuantityDraws(), QuantityDraws(std::vector<std::vector<double>>(2))}) {
    EXPECT_TRUE(std::isnan(rhat(draws)));
    EXPECT_TRUE(std::isnan(ess_bulk(draws)));
    EXPECT_TRUE(std::isnan(mcse_quantile(draws, 0.5)));
    EXPECT_TRUE(std::isnan(integrated_autocorrelation_time(draws)));
    const auto summary = summarise(draws);
    EXPECT_TRUE(std::isnan(summary.mean));
    EXPECT_TRUE(std::isnan(summary.q50));
  }
}

// x_t = phi x_{t-1} + noise has the time (1 + phi) / (1 - phi) = 19; its estimate from 400,000 draws is good to some 3
// %.
TEST(Diagnose, AutoregressiveChain_HasItsKnownAutocorrelationTime) {
  std::mt19937_64 generator(7);
  const QuantityDraws draws({autoregression(generator, 200'000, 0.9), autoregression(generator, 200'000, 0.9)});
  EXPECT_NEAR(integrated_autocorrelation_time(draws), 19.0, 1.5);
}

TEST(Diagnose, WeightsThatDoNotFit_AreRefused) {
  EXPECT_EQ(message_of<OptionError>([] {
              rhat(QuantityDraws({{1.0, 2.0}}, {{1.0}}));
            }),
            "chain 1 has 2 draws but 1 weights; give every draw a weight, or none");
  EXPECT_EQ(message_of<OptionError>([] {
              ess_bulk(QuantityDraws({{1.0}, {2.0}}, {{1.0}}));
            }),
            "there are 2 chains of draws but 1 of weights; give every draw a weight, or none");
  EXPECT_EQ(message_of<OptionError>([] {
              ess_mean(QuantityDraws({{1.0, 2.0}}, {{1.0, -0.5}}));
            }),
            "the weight of draw 2 of chain 1 is -0.500000; weights must be finite and not negative");
  EXPECT_EQ(message_of<OptionError>([] {
              mcse_quantile(QuantityDraws({{1.0, 2.0}}), 1.5);
            }),
            "a quantile was requested at probability 1.500000; probabilities lie between 0 and 1");
}

}  // namespace
}  // namespace sgmcmc
