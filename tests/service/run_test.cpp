// Runs of Stan models: data from memory, settings left open, and settings that cannot be used.
#include <sgmcmc/distributions.hpp>
#include <sgmcmc/run.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace sgmcmc {
namespace {

const std::string text = R"(
data { int N; vector[N] y; }
parameters { real mu; }
model { mu ~ normal(0, 10); y ~ normal(mu, 1); }
generated quantities { real twice = 2 * mu; }
)";

StanPosterior posterior() {
  const std::vector<double> y = {1, 2, 3, 4, 5};
  return StanModel::from_text(text).bind(StanData().integer("N", 5).real("y", y));
}

TEST(StanModel, BoundToArrays_HasTheirRowsAndOutputs) {
  const StanPosterior bound = posterior();
  EXPECT_EQ(bound.rows(), 5);
  EXPECT_EQ(bound.row_axis(), "N");
  EXPECT_EQ(bound.output_names(), std::vector<std::string>{"twice"});
  EXPECT_EQ(bound.outputs_at(std::vector<double>{1.5}), std::vector<double>{3.0});
}

TEST(StanModel, ArraysBoundTwice_AreStillThere) {
  const std::vector<double> y = {1, 2, 3, 4, 5};
  const StanData data = StanData().integer("N", 5).real("y", y);
  const StanModel model = StanModel::from_text(text);
  RunSettings settings;
  settings.iterations = 20;
  const RunResult first = sample(model.bind(data), settings), second = sample(model.bind(data), settings);
  for (std::size_t draw = 0; draw < 20; ++draw) EXPECT_EQ(first.draws(3, draw, 0), second.draws(3, draw, 0));
}

TEST(StanData, NameGivenTwice_IsRefused) {
  EXPECT_THROW(StanData().integer("N", 5).integer("N", 6), DataError);
  EXPECT_THROW(StanData().real("y", std::vector<double>{1, 2}, {3}), DataError);
}

TEST(StanData, LentArrays_GiveTheSameDrawsAndLiveAsLongAsTheModel) {
  const StanModel model = StanModel::from_text(text);
  RunSettings settings;
  settings.method = "sgld";
  settings.step_size = NamedStepSizes{{0.01}, {}};
  settings.iterations = 20;
  auto y = std::make_shared<std::vector<double>>(std::vector<double>{1, 2, 3, 4, 5});
  auto single = std::make_shared<std::vector<float>>(y->begin(), y->end());
  const RunResult copied = sample(model.bind(StanData().real("y", *y)), settings);
  const std::weak_ptr<const void> watch = y;
  {
    const StanPosterior bound = model.bind(StanData().lend("y", *y, {5}, y));
    const StanPosterior floats = model.bind(StanData().lend("y", *single, {5}, single));
    y.reset();
    single.reset();
    EXPECT_FALSE(watch.expired());
    for (const auto* lent : {&bound, &floats}) {
      const RunResult run = sample(*lent, settings);
      for (std::size_t draw = 0; draw < 20; ++draw) EXPECT_EQ(run.draws(3, draw, 0), copied.draws(3, draw, 0));
    }
  }
  EXPECT_TRUE(watch.expired());
  const std::vector<double> values{1, 2, 3};
  EXPECT_THROW(StanData().lend("y", values, {3}, nullptr), DataError);
  EXPECT_THROW(StanData().lend("y", values, {4}, std::make_shared<int>(0)), DataError);
}

TEST(StanData, SparseRows_AreTheDenseMatrix) {
  const StanModel model = StanModel::from_text(R"(
data { int N; int K; matrix[N, K] X; vector[N] y; }
parameters { vector[K] b; }
model { b ~ normal(0, 1); y ~ normal(X * b, 1); }
)");
  const std::vector<double> y = {1, 2, 3}, dense = {1, 0, 2, 0, 0, 0, 0, 3, 0}, values = {1, 2, 3};
  const std::vector<std::int64_t> starts = {0, 2, 2, 3};
  const std::vector<std::int32_t> columns = {0, 2, 1};
  RunSettings settings;
  settings.method = "nuts";
  settings.iterations = 20;
  const RunResult a = sample(model.bind(StanData().real("y", y).sparse("X", 3, starts, columns, values)), settings);
  const RunResult b = sample(model.bind(StanData().real("y", y).real("X", dense, {3, 3})), settings);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(a.draws.mean(k), b.draws.mean(k), 1e-6);
  EXPECT_THROW(StanData().sparse("X", 2, starts, columns, values), DataError);
  EXPECT_THROW(StanData().sparse("X", 3, std::vector<std::int64_t>{0, 2}, columns, values), DataError);
  EXPECT_THROW(StanData().sparse("X", 3, starts, std::vector<std::int32_t>{2, 0, 1}, values), DataError);
}

TEST(Run, SomeVariablesKept_HasDrawsOfThemAndSummariesOfTheOthers) {
  RunSettings settings;
  settings.method = "nuts";
  settings.iterations = 200;
  const RunResult all = sample(posterior(), settings);
  settings.keep = {"twice"};
  const RunResult some = sample(posterior(), settings);
  EXPECT_EQ(some.draws.names(), std::vector<std::string>{"twice"});
  for (std::size_t draw = 0; draw < 200; ++draw) EXPECT_EQ(some.draws(3, draw, 0), all.draws(3, draw, 1));
  ASSERT_EQ(some.summarised.size(), 1u);
  EXPECT_EQ(some.summarised[0].name, "mu");
  EXPECT_NEAR(some.summarised[0].summary.mean, all.draws.mean(0), 1e-12);
  EXPECT_EQ(some.verdict->trust, all.verdict->trust);
  EXPECT_NE(some.table().find("mu"), std::string::npos);
}

TEST(Run, UnknownVariableKept_IsRefused) {
  RunSettings settings;
  settings.keep = {"nu"};
  EXPECT_THROW(sample(posterior(), settings), SettingError);
}

TEST(RunModel, ModelInCpp_IsRunAsTheSameModelInTheLanguage) {
  const std::vector<double> y = {1, 2, 3, 4, 5};
  Model model(Dataset::Builder().real("y", y).build());
  const auto mu = model.parameter("mu");
  model.prior(normal_lpdf(mu, 0, 10));
  model.likelihood(normal_lpdf(model.row("y"), mu, 1));
  const RunResult ours = run_model(model), stan = sample(posterior());
  EXPECT_EQ(ours.method, stan.method);
  EXPECT_EQ(ours.draws.names(), std::vector<std::string>{"mu"});
  EXPECT_TRUE(ours.verdict.has_value());
  EXPECT_NEAR(ours.draws.mean(0), stan.draws.mean(0), 0.05);
  RunSettings settings;
  settings.method = "sgld-cv";
  settings.step_size = NamedStepSizes{{0.01}, {}};
  settings.iterations = 10;
  EXPECT_EQ(run_model(model, settings).draws.draws(0), 10u);
}

TEST(RunModel, NoParametersOrRows_RefusedOrSampledInFull) {
  EXPECT_THROW(run_model(Model()), ModelError);
  Model model;
  model.prior(std_normal_lpdf(model.parameter("a")));
  EXPECT_EQ(run_model(model).method, "nuts");
}

TEST(Run, SettingsLeftOpen_HasDrawsOutputsAndVerdict) {
  std::vector<RunPhase> phases;
  RunHooks hooks;
  hooks.phase = [&](RunPhase phase) { phases.push_back(phase); };
  const RunResult run = sample(posterior(), {}, hooks);
  EXPECT_EQ(run.method, "nuts");
  EXPECT_EQ(run.draws.chains(), 4u);
  EXPECT_EQ(run.draws.names(), (std::vector<std::string>{"mu", "twice"}));
  for (std::size_t draw = 0; draw < run.draws.draws(0); ++draw)
    EXPECT_EQ(run.draws(0, draw, 1), 2 * run.draws(0, draw, 0));
  EXPECT_TRUE(run.tuning.has_value());
  EXPECT_TRUE(run.verdict.has_value());
  EXPECT_EQ(phases, (std::vector<RunPhase>{RunPhase::tuning, RunPhase::sampling, RunPhase::judging, RunPhase::done}));
  EXPECT_NE(run.table().find("twice"), std::string::npos);
}

TEST(Run, SettingThatCannotBeUsed_IsNamedInTheWordsOfTheFrontEnd) {
  RunSettings settings;
  settings.method = "nuts";
  settings.sampler["friction"] = "0.3";
  try {
    sample(posterior(), settings);
    FAIL() << "nuts has no friction";
  } catch (const SettingError& error) {
    EXPECT_EQ(error.setting(), "friction");
    EXPECT_NE(error.problem().find("nuts has no such option"), std::string::npos);
  }
  settings.method = "auto";
  settings.writer = [](std::string_view setting, std::string_view value) {
    return std::string(setting) + "(" + std::string(value) + ")";
  };
  try {
    sample(posterior(), settings);
    FAIL() << "auto chooses the friction";
  } catch (const SettingError& error) {
    EXPECT_NE(error.problem().find("method(sghmc)"), std::string::npos) << error.problem();
  }
}

TEST(Run, Interrupted_EndsWithoutDraws) {
  const std::atomic<bool> interrupt = true;
  RunHooks hooks;
  hooks.interrupt = &interrupt;
  const RunResult run = sample(posterior(), {}, hooks);
  EXPECT_TRUE(run.interrupted);
  EXPECT_FALSE(run.verdict.has_value());
}

}  // namespace
}  // namespace sgmcmc
