// The public sampler: starts in the prior, converges to the Dirichlet posterior with minibatches, and rejects invalid
// input.
#include <sgmcmc/simplex.hpp>

#include "statistics/effective_sample_size.hpp"
#include "statistics/significance.hpp"

#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace sgmcmc {
namespace {

TEST(SimplexSampler, Probabilities_AreNormalisedInEveryBlock) {
  SimplexSampler sampler({}, {0.01}, 50, 7);
  std::vector<double> counts(350, 0.0), omega(350), log_omega(350);
  counts[3] = 5;
  ASSERT_TRUE(sampler.step(counts, 0));
  sampler.probabilities(omega);
  sampler.log_probabilities(log_omega);
  for (std::size_t b = 0; b < 7; ++b) {
    double sum = 0;
    for (std::size_t j = 0; j < 50; ++j) sum += omega[j * 7 + b];
    EXPECT_NEAR(sum, 1.0, 1e-12);
  }
  for (const double x : log_omega) EXPECT_TRUE(std::isfinite(x));
}

TEST(SimplexSampler, KnownCounts_DrawsHaveTheDirichletMean) {
  // The sparse posterior of thesis section 5.2.3: means of all ten components, false alarms 1 in 10,000.
  std::vector<double> counts(10, 0.0);
  counts[0] = 800, counts[1] = 100, counts[2] = 100;
  SimplexSampler sampler({}, {0.1}, 10);
  std::vector<std::vector<double>> trace(10);
  std::vector<double> omega(10);
  for (std::uint64_t t = 0; t < 6000; ++t) {
    ASSERT_TRUE(sampler.step(counts, t));
    sampler.probabilities(omega);
    if (t >= 50)
      for (std::size_t j = 0; j < 10; ++j) trace[j].push_back(omega[j]);
  }
  const double limit = testing::z_threshold(1e-4, 10);
  for (std::size_t j = 0; j < 10; ++j) {
    const double mean = (counts[j] + 0.1) / 1001;
    const double deviation = std::sqrt(mean * (1 - mean) / 1002);
    // The chain is an autoregression of coefficient e^-h: its effective size is known.
    const double effective = static_cast<double>(trace[j].size()) * std::tanh(0.25);
    EXPECT_LT(std::abs(testing::mean_of(trace[j]) - mean), limit * deviation / std::sqrt(effective)) << j;
  }
}

TEST(SimplexSampler, SameSeed_GivesTheSameDraws) {
  const auto run = [](std::uint64_t seed, int threads) {
    SimplexOptions options;
    options.seed = seed;
    options.threads = threads;
    SimplexSampler sampler(options, {0.5}, 2000, 3);
    const std::vector<double> counts(6000, 1.0);
    for (std::uint64_t t = 0; t < 3; ++t) sampler.step(counts, t);
    return std::vector<double>(sampler.log_theta().begin(), sampler.log_theta().end());
  };
  EXPECT_EQ(run(1, 1), run(1, 2));
  EXPECT_NE(run(1, 1), run(2, 1));
}

TEST(SimplexSampler, StepThatOverflows_KeepsThePosition) {
  SimplexOptions options;
  options.method = SimplexMethod::sgrld_expanded_natural;
  options.step_size = 10;
  SimplexSampler sampler(options, {0.1}, 3);
  const std::vector<double> start = {-900.0, 0.0, 1.0};
  sampler.set_log_theta(start);
  EXPECT_FALSE(sampler.step(std::vector<double>{0, 5, 5}, 0));
  EXPECT_EQ(std::vector<double>(sampler.log_theta().begin(), sampler.log_theta().end()), start);
}

TEST(SimplexSampler, Mistakes_AreRefusedWithTheirPlace) {
  const auto message = [](auto&& call) -> std::string {
    try {
      call();
    } catch (const OptionError& error) {
      return error.what();
    }
    return "nothing";
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(message([] {
              SimplexSampler({}, {0.1, -1}, 2);
            }),
            "prior: element 1 is -1; concentrations must be positive and finite");
  EXPECT_EQ(message([] {
              SimplexSampler({}, {0.1, 1}, 3);
            }),
            "prior has 2 numbers for 3 components; give one number, or one for each");
  EXPECT_EQ(message([] { simplex_method("scri"); }), "there is no simplex method 'scri'. Did you mean 'scir'?");
  SimplexOptions options;
  options.step_size = 0;
  EXPECT_EQ(message([&] { options.validate(); }), "step_size is 0; it must be positive and finite");
  SimplexSampler sampler({}, {1.0}, 2);
  EXPECT_EQ(message([&] {
              sampler.step(std::vector<double>{1, -2}, 0);
            }),
            "count number 1 is -2; counts must be finite and not negative");
  EXPECT_EQ(message([&] { sampler.step(std::vector<double>{1, nan}, 0); }).substr(0, 14), "count number 1");
  EXPECT_EQ(message([&] { sampler.step(std::vector<double>{1}, 0); }),
            "there are 1 counts; 2 are needed, one for each component of each block");
}

}  // namespace
}  // namespace sgmcmc
