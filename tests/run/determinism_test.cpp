// Draws depend on (seed, chain, iteration) only: not on threads, tiles, the number of chains, or who calls step().
#include "run/models.hpp"

#include <sgmcmc/distributions.hpp>
#include <sgmcmc/random.hpp>
#include <sgmcmc/sample.hpp>

#include <gtest/gtest.h>

namespace sgmcmc::testing {
namespace {

// Enough rows that full passes use several chunks and tiles.
const LogisticData& data() {
  static const LogisticData made(5000, 3);
  return made;
}

SampleOptions options_for(const std::string& method) {
  SampleOptions options;
  options.method(method).step_size(1e-4);
  options.gradient.minibatch.batch_size = 700;
  options.gradient.refresh_every = 7;
  options.iterations = 20;
  if (is_exact(options.sampler)) options.warmup = 25;
  if (auto* nuts = std::get_if<NutsOptions>(&options.sampler)) nuts->max_tree_depth = 4;
  if (auto* hmc = std::get_if<HmcOptions>(&options.sampler)) hmc->leapfrog_steps = 3;
  options.chains = 3;
  options.threads = 1;
  options.seed = 5;
  return options;
}

void expect_same_draws(const SampleResult& a, const SampleResult& b, const std::string& what) {
  ASSERT_EQ(a.names, b.names);
  ASSERT_EQ(a.draws.chains(), b.draws.chains());
  for (std::size_t k = 0; k < a.draws.chains(); ++k) {
    ASSERT_EQ(a.draws.draws(k), b.draws.draws(k));
    for (std::size_t t = 0; t < a.draws.draws(k); ++t)
      for (std::size_t j = 0; j < a.names.size(); ++j)
        ASSERT_EQ(a.draws(k, t, j), b.draws(k, t, j))
            << what << ", chain " << k << ", draw " << t << ", " << a.names[j];
  }
  for (std::size_t j = 0; j < a.names.size(); ++j) EXPECT_EQ(a.moments.mean()[j], b.moments.mean()[j]) << what;
}

class Determinism : public ::testing::TestWithParam<std::string> {};

TEST_P(Determinism, ThreadsAndTiles_GiveTheSameDraws) {
  const Model model = logistic_regression(data());
  auto options = options_for(GetParam());
  const auto reference = sample(model, options);
  EXPECT_EQ(reference.draws.draws(2), 20u);
  for (const int threads : {2, 7}) {
    options.threads = threads;
    expect_same_draws(sample(model, options), reference, std::to_string(threads) + " threads");
  }
  options.threads = 2;
  for (const int tile_rows : {1, 48, 999, 100'000}) {
    options.gradient.tile_rows = tile_rows;
    expect_same_draws(sample(model, options), reference, "tiles of " + std::to_string(tile_rows));
  }
}

TEST_P(Determinism, NumberOfChains_LeavesEachChainAsItIs) {
  const Model model = logistic_regression(data());
  auto options = options_for(GetParam());
  const auto three = sample(model, options);
  options.chains = 1;
  const auto one = sample(model, options);
  for (std::size_t t = 0; t < 20; ++t)
    for (std::size_t j = 0; j < 3; ++j) ASSERT_EQ(one.draws(0, t, j), three.draws(0, t, j));
  EXPECT_NE(three.draws(0, 0, 0), three.draws(1, 0, 0)) << "chains are different";
}

TEST_P(Determinism, StepByStep_IsSample) {
  const Model model = logistic_regression(data());
  auto options = options_for(GetParam());
  const auto result = sample(model, options);
  for (std::uint32_t k = 0; k < 3; ++k) {
    Chain chain(model, options, k);
    for (std::uint64_t t = 0; t < options.warmup; ++t) chain.step();
    EXPECT_EQ(chain.names(), result.names);
    for (std::size_t t = 0; t < 20; ++t) {
      chain.step();
      ASSERT_EQ(chain.iteration(), options.warmup + t + 1);
      const auto values = chain.values();
      for (std::size_t j = 0; j < 3; ++j)
        ASSERT_EQ(values[j], result.draws(k, t, j)) << "chain " << k << ", draw " << t;
    }
  }
}

TEST_P(Determinism, Seed_ChangesTheDraws) {
  const Model model = logistic_regression(data());
  auto options = options_for(GetParam());
  const auto first = sample(model, options);
  expect_same_draws(sample(model, options), first, "once more");
  options.seed = 6;
  EXPECT_NE(sample(model, options).draws(0, 0, 0), first.draws(0, 0, 0));
}

INSTANTIATE_TEST_SUITE_P(Methods, Determinism,
                         ::testing::Values("sgld", "sgld-full", "sgld-cv", "sgld-saga", "sgld-svrg", "sghmc",
                                           "sghmc-cv", "sgnht-svrg", "baoab", "baoab-cv", "baoab-saga", "baoab-svrg",
                                           "baoab-full", "psgld", "sgfs-full-cv", "sgfs-diagonal", "sgrld-cv",
                                           "hamcmc-saga", "sglm", "sglm-cv", "nuts", "hmc", "mala"),
                         [](const auto& which) {
                           std::string name = which.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Determinism, SinglePrecisionAndWeightedRows_DoNotDependOnThreadsOrTilesEither) {
  const Model model = logistic_regression(data());
  auto options = options_for("sgld-svrg");
  options.gradient.precision = Precision::float32;
  options.gradient.minibatch.sampling = RowSampling::weighted;
  for (std::size_t i = 0; i < data().rows; ++i)
    options.gradient.minibatch.row_probabilities.push_back(1.0 + double(i % 3));
  const auto reference = sample(model, options);
  options.threads = 7;
  options.gradient.tile_rows = 32;
  expect_same_draws(sample(model, options), reference, "7 threads, tiles of 32");
}

// Enough parameters that threads also share the prior, the sums of chunks, the noise and the update.
TEST(DeterminismOfWideModels, Threads_GiveTheSameDraws) {
  constexpr std::int64_t inputs = 240, hidden = 150, rows = 300;
  std::vector<double> x(static_cast<std::size_t>(rows * inputs)), y(static_cast<std::size_t>(rows));
  fill_normal({1, 0, 0, Purpose::data}, x);
  fill_normal({1, 0, 1, Purpose::data}, y);
  const Dataset rows_of_data = Dataset::Builder().real("x", x, {inputs}).real("y", y).build();
  Model model(rows_of_data);
  const Expression first = model.parameter("first", {hidden, inputs});
  const Expression second = model.parameter("second", {hidden});
  const Expression scale = model.parameter("scale", {}, Constraint::lower(0));
  model.prior(normal_lpdf(first, 0, scale));
  model.prior(normal_lpdf(second, 0, scale));
  model.prior(gamma_lpdf(scale, 2, 2));
  model.likelihood(normal_lpdf(model.row("y"), dot(second, logistic(matmul(first, model.row("x")))), 1));
  for (const Precision precision : {Precision::float32, Precision::float64})
    for (const char* method : {"sgld", "sgnht"}) {
      SampleOptions options;
      options.method(method).step_size(1e-5);
      options.gradient.precision = precision;
      options.gradient.minibatch.batch_size = 280;  // two chunks
      options.seed = 5;
      const auto after_steps = [&](int threads) {
        options.threads = threads;
        Chain chain(model, options);
        for (int t = 0; t < 5; ++t) chain.step();
        return std::vector<double>(chain.position().begin(), chain.position().end());
      };
      const auto reference = after_steps(1);
      EXPECT_EQ(after_steps(2), reference) << method;
      EXPECT_EQ(after_steps(5), reference) << method;
    }
}

}  // namespace
}  // namespace sgmcmc::testing
