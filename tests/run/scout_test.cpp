// Step sizes for posteriors without a mode: as large as gradient noise permits, and reproducible.
#include "tune/scout.hpp"
#include "run/models.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/tuning.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

namespace sgmcmc::testing {
namespace {

constexpr double friction = 0.03, heat = 0.1;

RunSetup setup_of(const Model& model, std::int64_t batch, std::map<std::string, Vector> initial = {}) {
  SampleOptions options;
  options.method("sghmc").step_size(1.0);
  options.gradient.minibatch.batch_size = batch;
  options.threads = 1;
  options.initial = std::move(initial);
  return RunSetup(model, options);
}

class ScoutedSteps : public ::testing::TestWithParam<StepScales> {};

// Means of 20 rows, in batches of 5: the gradient noise has a known variance, the same everywhere.
TEST_P(ScoutedSteps, NormalPosterior_AreThoseOfTheHeatAndSdsAreWiderByIt) {
  constexpr std::size_t dimension = 40;
  const ManyRegressions means(dimension, false);
  const auto found = scout(setup_of(means.model(), 5), GetParam(), 6000);
  ASSERT_TRUE(found.failure.empty()) << found.failure;
  EXPECT_EQ(found.iterations, 6000u);
  EXPECT_EQ(found.rows_touched, 6020.0 * 5) << "and 20 estimates before the first step";
  EXPECT_TRUE(found.noise_limits);
  EXPECT_GE(found.first_steps, 1.0);
  EXPECT_LE(found.first_steps, 30.0);
  EXPECT_FALSE(found.sampler.refresh_momentum);
  const auto& steps = found.sampler.step_size.values;
  ASSERT_EQ(steps.size(), GetParam() == StepScales::one ? std::size_t{1} : dimension);
  const double noise = means.noise_at_mean(5), precision = means.precision();
  const double step = 2 * friction * heat / (noise + precision);
  for (const double value : steps) EXPECT_NEAR(value, step, (steps.size() == 1 ? 0.1 : 0.35) * step);

  SampleOptions options;
  options.sampler = found.sampler;
  options.gradient.minibatch.batch_size = 5;
  options.chains = 2;
  options.warmup = 1000;
  options.iterations = 20'000;
  const auto result = sample(means.model(), options);
  double log_sd = 0;
  for (std::size_t d = 0; d < dimension; ++d)
    log_sd += std::log(result.draws.standard_deviation(d) * std::sqrt(precision)) / dimension;
  const double hotter = heat * noise / (noise + precision);
  EXPECT_NEAR(log_sd, 0.5 * std::log1p(hotter), 0.02);
}
INSTANTIATE_TEST_SUITE_P(Scales, ScoutedSteps, ::testing::Values(StepScales::one, StepScales::each),
                         [](const auto& which) { return which.param == StepScales::one ? "One" : "Each"; });

// If column scales differ by a factor of a thousand, only a step for each coordinate reaches the posterior.
TEST(Scout, ColumnsOfDifferentSizes_EachItsOwnStepGetsThere) {
  constexpr std::size_t rows = 500;
  Vector x = normals(rows * 4, 5), y = normals(rows, 6);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < 4; ++j) {
      x[i * 4 + j] *= j % 2 == 0 ? 1.0 : 1000.0;
      y[i] += x[i * 4 + j] * (j % 2 == 0 ? 1.0 : 0.001);
    }
  Model model(Dataset::Builder().real("x", x, {4}).real("y", y).build());
  model.likelihood(normal_lpdf(model.row("y"), dot(model.row("x"), model.parameter("beta", {4})), 1.0));
  const auto setup = setup_of(model, 50);
  const auto one = scout(setup, StepScales::one, 2000), each = scout(setup, StepScales::each, 2000);
  EXPECT_TRUE(each.failure.empty()) << each.failure;
  // Log likelihood per row at the posterior: -1/2 for the noise, -log sqrt(2 pi); the four coordinates add little.
  EXPECT_NEAR(each.log_likelihood / rows, -0.5 - 0.919, 0.08);
  EXPECT_LT(one.log_likelihood, each.log_likelihood - 100.0);
}

TEST(Scout, GradientsNeverFinite_SaysWhichParameter) {
  Model model(Dataset::Builder().integer("y", std::vector<std::int32_t>(100, 3)).build());
  const auto rate = model.parameter("rate");
  model.prior(normal_lpdf(rate, 0, 1));
  model.likelihood(poisson_log_lpmf(model.row("y"), rate));
  const auto found = scout(setup_of(model, 10, {{"rate", {1000.0}}}), StepScales::one, 1000);
  EXPECT_NE(found.failure.find("rate"), std::string::npos) << found.failure;
}

/// y ~ N(a[i] b[j], 1): more than 1,000 coordinates, and not a regression.
Model products() {
  constexpr std::int64_t left = 600, right = 500, rows = 60'000;
  std::vector<std::int32_t> i(rows), j(rows);
  Vector y = normals(rows, 8);
  for (std::size_t k = 0; k < rows; ++k) {
    i[k] = static_cast<std::int32_t>(k * 7919 % left);
    j[k] = static_cast<std::int32_t>(k * 104'729 / 3 % right);
    y[k] += 1.0 + 0.1 * (i[k] % 5) * (j[k] % 3);
  }
  Model model(Dataset::Builder().integer("i", i).integer("j", j).real("y", y).build());
  const auto a = model.parameter("a", {left}), b = model.parameter("b", {right});
  model.prior(normal_lpdf(a, 0, 1));
  model.prior(normal_lpdf(b, 0, 1));
  model.likelihood(normal_lpdf(model.row("y"), gather(a, model.row("i")) * gather(b, model.row("j")), 1.0));
  return model;
}

SampleOptions automatic() {
  SampleOptions options;
  options.method("auto");
  options.iterations = 1000;
  options.threads = 1;
  return options;
}

TEST(TuningWithoutMode, Auto_TakesMomentumAndStepsThatShrinkInWarmup) {
  const Model model = products();
  auto options = automatic();
  const auto tuned = tune(model, options);
  const auto* sampler = std::get_if<SghmcOptions>(&tuned.options.sampler);
  ASSERT_TRUE(sampler) << tuned.report.why;
  EXPECT_FALSE(sampler->refresh_momentum);
  EXPECT_EQ(sampler->trajectory_length, 1u);
  EXPECT_EQ(tuned.options.warmup, 500u);
  EXPECT_EQ(tuned.options.iterations, 1000u);
  EXPECT_EQ(sampler->schedule.kind, Schedule::Kind::annealing);
  EXPECT_EQ(sampler->schedule.exponent, 500.0);
  EXPECT_FALSE(needs_tuning(tuned.options));
  ASSERT_EQ(tuned.report.candidates.size(), 2u);
  EXPECT_TRUE(tuned.report.candidates[0].chosen);
  EXPECT_GE(tuned.report.candidates[0].log_likelihood, tuned.report.candidates[1].log_likelihood);
  EXPECT_NE(tuned.report.table().find("log likelihood"), std::string::npos) << tuned.report.table();
  EXPECT_NE(tuned.report.why.find("without a mode"), std::string::npos) << tuned.report.why;

  options.threads = 2;
  const auto again = tune(model, options);
  EXPECT_EQ(step_size_of(again.options.sampler)->values, sampler->step_size.values);

  // A chain with the tuned options reaches the same region as its scout: the posterior of 1,100 parameters given 60,000
  // rows with noise of sd 1.
  constexpr double at_posterior = -60'000 * (0.5 + 0.919) + 1100 * 0.5;
  EXPECT_NEAR(tuned.report.candidates[0].log_likelihood, at_posterior, 1500.0);
  Chain chain(model, tuned.options);
  while (chain.iteration() < 1500) chain.step();
  EXPECT_NEAR(chain.log_posterior(), at_posterior - 1100 * (0.5 + 0.919), 3000.0);
}

TEST(TuningWithoutMode, TimeIsGiven_OrInterrupted_Ends) {
  const Model model = products();
  TuneOptions how;
  how.seconds = 0.2;
  EXPECT_TRUE(std::holds_alternative<SghmcOptions>(tune(model, automatic(), how).options.sampler));
  const std::atomic<bool> stop = true;
  auto options = automatic();
  options.interrupt = &stop;
  EXPECT_NE(tune(model, options).report.why.find("interrupted"), std::string::npos);
}

}  // namespace
}  // namespace sgmcmc::testing
