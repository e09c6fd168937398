// Results of sample(): number of draws, sinks, summaries, and interruption.
#include "run/models.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/sample.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>

namespace sgmcmc::testing {
namespace {

SampleOptions on_standard_normal(std::uint64_t iterations) {
  SampleOptions options;
  options.method("sgld").step_size(0.5);
  options.iterations = iterations;
  return options;
}

/// Records everything it receives.
class RecordingSink final : public DrawsSink {
 public:
  void begin(std::span<const std::string> given, std::size_t chains, std::size_t draws_per_chain) override {
    names.assign(given.begin(), given.end());
    values.resize(chains);
    weights.resize(chains);
    promised = draws_per_chain;
  }
  void write(std::size_t chain, std::span<const double> draw, double weight) override {
    values.at(chain).emplace_back(draw.begin(), draw.end());
    weights.at(chain).push_back(weight);
  }
  std::vector<std::string> names;
  std::vector<std::vector<Vector>> values;
  std::vector<Vector> weights;
  std::size_t promised = 0;
};

TEST(Sample, WarmupAndThinning_GiveTheDrawsInBetween) {
  auto options = on_standard_normal(20);
  const auto all = sample(standard_normal(), options);
  ASSERT_EQ(all.draws.draws(0), 20u);
  EXPECT_EQ(all.names, (std::vector<std::string>{"x[1]", "x[2]"}));
  EXPECT_FALSE(all.interrupted);
  options.warmup = 5;
  options.iterations = 11;
  options.thin = 3;
  const auto some = sample(standard_normal(), options);
  ASSERT_EQ(some.draws.draws(0), 3u);
  for (std::size_t t = 0; t < 3; ++t)
    for (std::size_t j = 0; j < 2; ++j) EXPECT_EQ(some.draws(0, t, j), all.draws(0, 5 + 3 * t + 2, j));
}

TEST(Sample, DrawsNotStored_MomentsAreThoseOfTheStoredDraws) {
  auto options = on_standard_normal(200);
  options.chains = 3;
  std::get<SgldOptions>(options.sampler).schedule = Schedule::decay(50.0, 0.5);  // gives draws unequal weights
  const auto stored = sample(standard_normal(), options);
  options.store_draws = false;
  const auto summed = sample(standard_normal(), options);
  EXPECT_EQ(summed.draws.chains(), 0u);
  EXPECT_EQ(summed.moments.count(), 600u);
  for (const std::string name : {"x[1]", "x[2]"}) {
    EXPECT_EQ(summed.mean(name), stored.mean(name));
    EXPECT_EQ(summed.standard_deviation(name), stored.standard_deviation(name));
    EXPECT_NEAR(summed.mean(name), stored.draws.mean(name), 1e-12);
    EXPECT_NEAR(summed.standard_deviation(name), stored.draws.standard_deviation(name), 1e-12);
  }
}

TEST(Sample, Schedule_WeighsDrawsByTheirStepSize) {
  auto options = on_standard_normal(30);
  std::get<SgldOptions>(options.sampler).schedule = Schedule::decay(10.0, 0.5);
  const auto result = sample(standard_normal(), options);
  double total = 0.0, weighted = 0.0;
  for (std::size_t t = 0; t < 30; ++t) {
    const double weight = 0.5 * std::pow(1.0 + static_cast<double>(t) / 10.0, -0.5);
    EXPECT_NEAR(result.draws.weights(0)[t], weight, 1e-12);
    total += weight;
    weighted += weight * result.draws(0, t, 0);
  }
  EXPECT_NEAR(result.mean("x[1]"), weighted / total, 1e-12);
}

TEST(Sample, TestFunctions_AreEvaluatedAtEveryDraw) {
  Model model;
  const auto x = model.parameter("x", {2});
  const auto scale = model.parameter("scale", {}, Constraint::lower(0));
  model.prior(std_normal_lpdf(x));
  model.prior(gamma_lpdf(scale, 3, 1));
  auto options = on_standard_normal(10);
  options.functions = {{"square", square(x[0]) + scale}, {"twice", 2 * x}};
  const auto result = sample(model, options);
  EXPECT_EQ(result.names, (std::vector<std::string>{"x[1]", "x[2]", "scale", "square", "twice[1]", "twice[2]"}));
  for (std::size_t t = 0; t < 10; ++t) {
    const auto draw = result.draws.draw(0, t);
    EXPECT_NEAR(draw[3], draw[0] * draw[0] + draw[2], 1e-14);
    EXPECT_EQ(draw[4], 2.0 * draw[0]);
    EXPECT_EQ(draw[5], 2.0 * draw[1]);
    EXPECT_GT(draw[2], 0.0);
  }
}

TEST(Sample, Sink_ReceivesTheDrawsThatAreStored) {
  RecordingSink sink;
  auto options = on_standard_normal(50);
  options.chains = 3;
  options.threads = 3;
  options.thin = 2;
  options.sink = &sink;
  const auto result = sample(standard_normal(), options);
  EXPECT_EQ(sink.names, result.names);
  EXPECT_EQ(sink.promised, 25u);
  ASSERT_EQ(sink.values.size(), 3u);
  for (std::size_t k = 0; k < 3; ++k) {
    ASSERT_EQ(sink.values[k].size(), 25u);
    for (std::size_t t = 0; t < 25; ++t) {
      const auto draw = result.draws.draw(k, t);
      EXPECT_EQ(sink.values[k][t], Vector(draw.begin(), draw.end()));
      EXPECT_EQ(sink.weights[k][t], result.draws.weights(k)[t]);
    }
  }
}

TEST(Sample, InitialValues_AreWhereChainsStart) {
  Model model;
  const auto x = model.parameter("x", {2});
  const auto scale = model.parameter("scale", {}, Constraint::lower(0));
  model.prior(std_normal_lpdf(x));
  model.prior(gamma_lpdf(scale, 3, 1));
  auto options = on_standard_normal(1);
  options.initial = {{"scale", {2.5}}};
  const Chain first(model, options, 0), second(model, options, 1);
  EXPECT_NEAR(first.position()[2], std::log(2.5), 1e-14);
  EXPECT_EQ(first.position()[2], second.position()[2]);
  for (std::size_t j = 0; j < 2; ++j) {
    EXPECT_LT(std::abs(first.position()[j]), options.initial_radius);
    EXPECT_NE(first.position()[j], second.position()[j]) << "the others start at random";
  }
  options.initial = {{"scael", {2.5}}};
  EXPECT_THROW(Chain(model, options), DataError);
  options.initial = {{"scale", {-1.0}}};
  EXPECT_THROW(Chain(model, options), DataError);
}

TEST(Sample, ControlVariates_StartAtTheModeButForGivenValues) {
  const LogisticData data(200, 2);
  Model model(data.dataset());
  const auto a = model.parameter("a"), b = model.parameter("b");
  model.prior(std_normal_lpdf(a) + std_normal_lpdf(b));
  model.likelihood(bernoulli_logit_lpmf(model.row("y"), a * model.row("x")[0] + b * model.row("x")[1]));
  SampleOptions options;
  options.method("sgld-cv").step_size(1e-3);
  options.iterations = 3;
  const auto result = sample(model, options);
  ASSERT_EQ(result.centre.size(), 2u);
  ASSERT_TRUE(result.mode_report.has_value());
  EXPECT_TRUE(result.mode_report->converged());
  const auto mode = find_mode(model).theta;
  for (std::size_t j = 0; j < 2; ++j) EXPECT_NEAR(result.centre[j], mode[j], 1e-4);
  const Chain at_mode(model, options);
  EXPECT_EQ(Vector(at_mode.position().begin(), at_mode.position().end()), result.centre);
  options.initial = {{"b", {3.0}}};
  const Chain moved(model, options);
  EXPECT_NEAR(moved.position()[0], mode[0], 1e-4) << "no value given: the mode";
  EXPECT_EQ(moved.position()[1], 3.0);
  options.initial.clear();
  options.gradient.centre = {0.25, -0.5};
  const auto given = sample(model, options);
  EXPECT_EQ(given.centre, (Vector{0.25, -0.5}));
  EXPECT_FALSE(given.mode_report.has_value()) << "a centre that is given need not be sought";
}

TEST(Chain, LogPosteriorAndStepSize_AreThoseOfThePosition) {
  Chain chain(standard_normal(), on_standard_normal(10));
  for (int t = 0; t < 3; ++t) chain.step();
  const auto x = chain.position();
  EXPECT_NEAR(chain.log_posterior(), -0.5 * (x[0] * x[0] + x[1] * x[1]) - std::log(2 * 3.14159265358979323846), 1e-12);
  EXPECT_EQ(chain.last_step_size(), 0.5);
  Chain moved(std::move(chain));
  moved.step();
  EXPECT_EQ(moved.iteration(), 4u);
}

TEST(Sample, InterruptFromTheProgressCallback_StopsAtOnceWithTheDrawsSoFar) {
  std::atomic<bool> stop{false};
  auto options = on_standard_normal(1'000'000'000);
  options.store_draws = false;
  RecordingSink sink;
  options.sink = &sink;
  options.interrupt = &stop;
  options.progress_seconds = 0;
  options.progress = [&](const Progress& progress) {
    EXPECT_EQ(progress.iterations, 1'000'000'000u);
    if (progress.iteration >= 50) stop = true;
  };
  const auto result = sample(standard_normal(), options);
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(result.moments.count(), 50u);
  EXPECT_EQ(sink.values[0].size(), 50u);
}

TEST(Sample, InterruptWithSeveralChains_StopsThemAll) {
  std::atomic<bool> stop{false};
  auto options = on_standard_normal(10'000'000);
  options.store_draws = false;
  options.chains = 3;
  options.threads = 2;
  options.interrupt = &stop;
  options.progress_seconds = 0;
  options.progress = [&](const Progress&) { stop = true; };
  const auto result = sample(standard_normal(), options);
  EXPECT_TRUE(result.interrupted);
  EXPECT_LT(result.moments.count(), 10'000'000u);
}

TEST(Sample, InterruptBeforeTheMode_ReturnsWithoutDraws) {
  std::atomic<bool> stop{true};
  SampleOptions options;
  options.method("sgld-cv").step_size(1e-3);
  options.interrupt = &stop;
  const auto result = sample(logistic_regression(LogisticData(100, 2)), options);
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(result.draws.draws(0), 0u);
  EXPECT_EQ(result.mode_report->evaluations, 0u);
}

TEST(Sample, Progress_IsReportedByEveryChainToItsEnd) {
  auto options = on_standard_normal(100);
  options.warmup = 20;
  options.chains = 2;
  options.threads = 2;
  std::mutex mutex;
  std::vector<std::vector<std::uint64_t>> seen(2);
  options.progress_seconds = 0;
  options.progress = [&](const Progress& progress) {
    const std::lock_guard lock(mutex);
    EXPECT_EQ(progress.iterations, 120u);
    seen.at(progress.chain).push_back(progress.iteration);
  };
  sample(standard_normal(), options);
  for (const auto& iterations : seen) {
    ASSERT_FALSE(iterations.empty());
    EXPECT_TRUE(std::is_sorted(iterations.begin(), iterations.end()));
    EXPECT_EQ(iterations.back(), 120u);
  }
  options.progress_seconds = 3600;
  seen.assign(2, {});
  sample(standard_normal(), options);
  for (const auto& iterations : seen) EXPECT_EQ(iterations, std::vector<std::uint64_t>{120}) << "only the end";
}

TEST(SampleResult, Table_HasOneLinePerParameterAndQuantilesOfStoredDraws) {
  auto options = on_standard_normal(100);
  const auto result = sample(standard_normal(5), options);
  const std::string table = result.table(3);
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 5);  // heading, three parameters, "... and 2 more"
  EXPECT_NE(table.find("95%"), std::string::npos) << table;
  EXPECT_NE(table.find("x[3]"), std::string::npos) << table;
  EXPECT_EQ(table.find("x[4]"), std::string::npos) << table;
  EXPECT_NE(table.find("2 more"), std::string::npos) << table;
  options.store_draws = false;
  EXPECT_EQ(sample(standard_normal(5), options).table().find("95%"), std::string::npos);
}

TEST(SampleResult, UnknownName_IsAnsweredWithANearOne) {
  const auto result = sample(standard_normal(2), on_standard_normal(5));
  try {
    result.mean("x[3]");
    FAIL() << "no complaint";
  } catch (const OptionError& error) {
    EXPECT_NE(std::string(error.what()).find("x[1]"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace sgmcmc::testing
