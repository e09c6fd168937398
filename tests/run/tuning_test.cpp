// Tuned step sizes: accurate on known posteriors, reproducible, and explained.
#include "run/models.hpp"
#include "tune/candidates.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/tuning.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace sgmcmc::testing {
namespace {

SampleOptions options_for(const std::string& method) {
  SampleOptions options;
  options.method(method);
  options.iterations = 4000;
  options.chains = 2;
  options.threads = 1;
  return options;
}

/// N(t_j, 1 / precision) in four coordinates, from 20 rows, with minibatches of 10.
SampleOptions small_batches(const std::string& method) {
  auto options = options_for(method);
  options.gradient.minibatch.batch_size = 10;
  return options;
}

TEST(Tuning, StepIsGiven_NothingIsTouched) {
  auto options = options_for("sgld-cv");
  options.step_size(0.3);
  EXPECT_FALSE(needs_tuning(options));
  const auto tuned = tune(standard_normal(), options);
  EXPECT_TRUE(tuned.report.candidates.empty());
  EXPECT_EQ(step_size_of(tuned.options.sampler)->values, Vector{0.3});
  EXPECT_FALSE(needs_tuning(options_for("nuts"))) << "finds its own";
  EXPECT_TRUE(needs_tuning(options_for("sgld")));
  EXPECT_TRUE(needs_tuning(options_for("auto")));
}

class TunedSampler : public ::testing::TestWithParam<std::string> {};

// Whether the tuned step is good enough on a known normal posterior. All steps of these grids are, so this does not
// test how candidates are judged; NoisyGradients_ does.
TEST_P(TunedSampler, NormalPosterior_HasRightStandardDeviationsAndMeans) {
  const ManyRegressions regressions(4, true);
  auto options = small_batches(GetParam());
  options.step_size(StepSize{});  // removes the default step of sglm
  const auto result = sample(regressions.model(), options);
  ASSERT_TRUE(result.tuning);
  const auto& report = *result.tuning;
  ASSERT_GE(report.candidates.size(), 3u);
  EXPECT_TRUE(report.candidates.front().chosen);
  for (std::size_t k = 1; k < report.candidates.size(); ++k) {
    EXPECT_FALSE(report.candidates[k].chosen);
    EXPECT_LE(report.candidates[k].rounds, report.candidates.front().rounds);
  }
  const double sd = 1 / std::sqrt(regressions.precision());
  for (std::size_t d = 0; d < 4; ++d) {
    EXPECT_NEAR(std::log(result.draws.standard_deviation(d) / sd), 0.0, 0.28) << d;
    EXPECT_NEAR((result.draws.mean(d) - regressions.mean()[d]) / sd, 0.0, 0.3) << d;
  }
}
INSTANTIATE_TEST_SUITE_P(Methods, TunedSampler, ::testing::Values("sgld-cv", "sglm-cv", "sghmc-cv", "hamcmc-cv"),
                         [](const auto& which) {
                           std::string name = which.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Tuning, NoisyGradients_LargeStepsThatMixBestAreNotChosen) {
  // One of 20 rows per step. With seeds 1 to 12 the mean log sd is off by 0.03 to 0.09 (mean 0.06, sd 0.02), so that
  // 0.2 is seven sds away. A mutant that scores by Monte Carlo error alone is off by 0.34 to 0.36, at step 0.5.
  const ManyRegressions regressions(4, true);
  auto options = options_for("sgld");
  options.gradient.minibatch.batch_size = 1;
  options.iterations = 20'000;
  TuneOptions how;
  how.batch_size = false;
  const auto tuned = tune(regressions.model(), options, how);
  const auto result = sample(regressions.model(), tuned.options);
  const double sd = 1 / std::sqrt(regressions.precision());
  double off = 0;
  for (std::size_t d = 0; d < 4; ++d) off += std::log(result.draws.standard_deviation(d) / sd) / 4;
  EXPECT_NEAR(off, 0.0, 0.2) << "step " << tuned.report.candidates.front().step_size;
}

TEST(Tuning, SameSeed_ChoosesTheSameWhateverTheThreads) {
  const ManyRegressions regressions(3, true);
  auto options = small_batches("sgld-cv");
  const auto once = tune(regressions.model(), options);
  options.threads = 2;
  const auto again = tune(regressions.model(), options);
  EXPECT_EQ(step_size_of(once.options.sampler)->values, step_size_of(again.options.sampler)->values);
  ASSERT_EQ(once.report.candidates.size(), again.report.candidates.size());
  for (std::size_t k = 0; k < once.report.candidates.size(); ++k)
    EXPECT_EQ(once.report.candidates[k].score, again.report.candidates[k].score);
}

TEST(Tuning, Report_SaysWhatWasTriedAndWhy) {
  const ManyRegressions regressions(3, true);
  const auto tuned = tune(regressions.model(), small_batches("sgld-cv"));
  EXPECT_NE(tuned.report.why.find("sgld-cv with step size"), std::string::npos) << tuned.report.why;
  const auto table = tuned.report.table(3);
  EXPECT_NE(table.find(" *\n"), std::string::npos) << table;
  EXPECT_NE(table.find(" more\n"), std::string::npos) << table;
  EXPECT_FALSE(tuned.report.mode.empty());
  EXPECT_GT(tuned.report.rows_touched, 0.0);
}

TEST(Tuning, Budget_IsTheShareOfTheRunAllRoundsTogether) {
  const ManyRegressions regressions(3, true);
  auto options = small_batches("sgld-cv");
  options.iterations = 100'000;
  TuneOptions how;
  how.batch_size = false;  // each candidate uses 10 rows per step
  const auto tuned = tune(regressions.model(), options, how);
  const double run = 2.0 * 100'000 * 10;
  EXPECT_GT(tuned.report.rows_touched, 0.8 * how.share * run);
  EXPECT_LE(tuned.report.rows_touched, 1.01 * how.share * run);
}

TEST(Tuning, PreconditionIsGiven_AutoKeepsItAndTheSampler) {
  const LogisticData data(20'000, 20);
  auto options = options_for("auto");
  options.iterations = 500;
  options.precondition = Precondition::diagonal;
  const auto tuned = tune(logistic_regression(data), options);
  EXPECT_EQ(tuned.options.precondition, Precondition::diagonal);
  const std::string sampler(sampler_name(tuned.options.sampler));
  EXPECT_TRUE(sampler == "sglm" || sampler == "sghmc") << sampler;  // not a sampler for posteriors without a mode
}

TEST(Tuning, Momentum_FrictionAndTrajectoriesAreTriedUnlessGiven) {
  auto options = options_for("sghmc-cv");
  options.precondition = Precondition::dense;
  const auto tried = [&](const TuneOptions& how, bool thorough) {
    std::set<std::pair<std::uint32_t, double>> all;
    for (const auto& proposal : proposals_for(options, 10'000, 1.0, how, thorough)) {
      const auto& sampler = std::get<SghmcOptions>(proposal.options.sampler);
      all.emplace(sampler.trajectory_length, sampler.friction);
    }
    return all;
  };
  using All = std::set<std::pair<std::uint32_t, double>>;
  TuneOptions how;
  EXPECT_EQ(tried(how, false), (All{{3, 0.01}, {5, 0.01}, {9, 0.01}})) << "quarters of periods of steps 0.3, 0.1, 0.03";
  EXPECT_EQ(tried(how, true), (All{{3, 0.01}, {5, 0.01}, {9, 0.01}, {3, 0.1}, {5, 0.1}, {9, 0.1}}));
  how.friction = false;
  EXPECT_EQ(tried(how, true), tried(how, false));
  how.trajectory_length = false;
  EXPECT_EQ(tried(how, true), (All{{5, 0.01}}));
}

TEST(Tuning, LengthLeftOpen_IsChosenByCostAndSize) {
  SampleOptions options;
  options.chains = 4;
  choose_length(options, 1.0, 55);
  EXPECT_EQ(options.iterations, 20'000u);
  EXPECT_EQ(options.thin, 2u);
  options.thin = 1;
  choose_length(options, 5.0, 55);
  EXPECT_EQ(options.iterations, 4'000u);
  EXPECT_EQ(options.thin, 1u);
  choose_length(options, 1.0, 10'000);  // 250 draws per chain
  EXPECT_EQ(options.iterations, 20'000u);
  EXPECT_EQ(options.thin, 80u);
  choose_length(options, 5.0, 55);
  EXPECT_EQ(options.iterations, 4'000u) << "also where thin is given";
  EXPECT_EQ(options.thin, 80u);
  options.thin = 1;
  choose_length(options, 1000.0, 10'000'000);
  EXPECT_EQ(options.iterations, 1'000u);
  EXPECT_EQ(options.thin, 10u);
}

TEST(Tuning, SeveralTrajectories_BudgetIsOfTheRunWithTheShortest) {
  const LogisticData data(1000, 3);
  auto options = options_for("sghmc-cv");
  options.precondition = Precondition::none;  // tries trajectories of 20 and 5 steps
  options.gradient.minibatch.batch_size = 10;
  options.iterations = 40'000;
  TuneOptions how;
  how.batch_size = false;
  const auto tuned = tune(logistic_regression(data), options, how);
  const double shortest = 2.0 * 40'000 * 5 * 10;
  EXPECT_GT(tuned.report.rows_touched, 0.8 * how.share * shortest);
  EXPECT_LE(tuned.report.rows_touched, 1.01 * how.share * shortest);
}

TEST(Tuning, LengthIsGiven_IsKept) {
  const LogisticData data(20'000, 20);
  auto options = options_for("auto");
  options.iterations = 500;
  options.thin = 5;
  const auto given = tune(logistic_regression(data), options);
  EXPECT_EQ(given.options.iterations, 500u);
  EXPECT_EQ(given.options.thin, 5u);
  options.iterations = SampleOptions{}.iterations;
  options.thin = 1;
  TuneOptions how;
  how.length = false;
  how.share = 0.01;
  const auto kept = tune(logistic_regression(data), options, how);
  EXPECT_EQ(kept.options.iterations, SampleOptions{}.iterations);
  EXPECT_EQ(kept.options.thin, 1u);
  how.length = true;
  options.thin = 7;
  const auto chosen = tune(logistic_regression(data), options, how);
  EXPECT_NE(chosen.options.iterations, SampleOptions{}.iterations);
  EXPECT_EQ(chosen.options.thin, 7u);
}

TEST(Tuning, SmallModel_MethodAutoTakesNuts) {
  const LogisticData data(300, 5);
  const auto tuned = tune(logistic_regression(data), options_for("auto"));
  EXPECT_TRUE(is_exact(tuned.options.sampler));
  EXPECT_NE(tuned.report.why.find("nuts"), std::string::npos);
  EXPECT_FALSE(needs_tuning(tuned.options));
}

TEST(Tuning, NothingStays_EndsWithAdvice) {
  Model model;
  model.prior(log(model.parameter("b")));
  auto options = options_for("sgld");
  options.initial = {{"b", {0.0}}};  // the gradient is non-finite here
  try {
    tune(model, options);
    FAIL() << "no complaint";
  } catch (const DivergenceError& error) {
    EXPECT_NE(std::string(error.what()).find("no step size was found"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace sgmcmc::testing
