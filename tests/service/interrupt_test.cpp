// Setting the interrupt flag ends every kind of work: a run returns its draws so far, and work without a partial result
// throws.
#include "base/interrupt.hpp"
#include "data/variables.hpp"
#include "service/errors.hpp"
#include "service/optimum.hpp"

#include <sgmcmc/bias.hpp>
#include <sgmcmc/mode.hpp>
#include <sgmcmc/run.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace sgmcmc {
namespace {

const std::atomic<bool> set{true};

StanPosterior normal_model() {
  const StanModel model = StanModel::from_text(
      "data { int N; vector[N] y; } parameters { real mu; } model { mu ~ normal(0, 1); y ~ normal(mu, 1); }");
  return model.bind(StanData().integer("N", 4).real("y", std::vector<double>{1, 2, 3, 4}));
}

RunSettings short_run() {
  RunSettings settings;
  settings.method = "nuts";
  settings.iterations = 100;
  settings.warmup = 100;
  settings.threads = 1;
  return settings;
}

TEST(Interrupt, FlagNotSetOrNull_DoesNothing) {
  const std::atomic<bool> clear{false};
  EXPECT_NO_THROW(throw_if_interrupted(&clear));
  EXPECT_NO_THROW(throw_if_interrupted(nullptr));
  EXPECT_TRUE(is_interruption(InterruptedError()));
  EXPECT_FALSE(is_interruption(DataError("no data")));
}

TEST(Interrupt, ReadingFiles_Throws) {
  const auto path = std::filesystem::path(testing::TempDir()) / "interrupt_test.json";
  std::ofstream(path) << "{\"y\": [1, 2, 3]}";
  const std::vector<WantedVariable> wanted = {{"y"}};
  EXPECT_EQ(read_data({path.string()}, wanted, nullptr).by_name.size(), 1u);
  EXPECT_THROW(read_data({path.string()}, wanted, nullptr, &set), InterruptedError);
  std::filesystem::remove(path);
}

TEST(Interrupt, BindingAModel_Throws) {
  StanBindOptions options;
  options.interrupt = &set;
  const StanModel model = StanModel::from_text(
      "transformed data { for (i in 1:150000000) { } } parameters { real mu; } model { mu ~ normal(0, 1); }");
  try {
    model.bind({}, options);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_TRUE(is_interruption(error)) << error.what();
  }
}

TEST(Interrupt, SearchesForTheMode_Throw) {
  const StanPosterior posterior = normal_model();
  for (const char* method : {"lbfgs", "adam", "sgd"}) {
    RunSettings settings;
    settings.method = method;
    settings.step_size = NamedStepSizes{{1e-3}, {}};
    EXPECT_THROW(find_optimum(posterior, settings, {.interrupt = &set}), InterruptedError) << method;
    EXPECT_THROW(find_optimum(posterior.model(), Precision::float64, settings, {.interrupt = &set}), InterruptedError)
        << method;
  }
  EXPECT_THROW(laplace_approximation(posterior.model(), {}, {}, 1, &set), InterruptedError);
}

TEST(Interrupt, Diagnosis_Throws) {
  const StanPosterior posterior = normal_model();
  const RunResult run = sample(posterior, short_run());
  SampleOptions made_with = run.options;
  EXPECT_NO_THROW(diagnose_bias(posterior.model(), made_with, run.draws));
  made_with.interrupt = &set;
  EXPECT_THROW(diagnose_bias(posterior.model(), made_with, run.draws), InterruptedError);
}

TEST(Interrupt, WhileTheDrawsAreJudged_ReturnsThemWithoutVerdict) {
  std::atomic<bool> flag{false};
  RunHooks hooks;
  hooks.interrupt = &flag;
  hooks.phase = [&](RunPhase phase) {
    if (phase == RunPhase::judging) flag = true;
  };
  const RunResult run = sample(normal_model(), short_run(), hooks);
  EXPECT_TRUE(run.interrupted);
  EXPECT_FALSE(run.verdict);
  EXPECT_EQ(run.draws.draws(0), 100u);
}

TEST(Interrupt, CurvatureOfALaplaceApproximation_EndsTheRunWithoutDraws) {
  RunSettings settings = short_run();
  settings.method = "laplace";
  settings.warmup = std::nullopt;
  RunHooks hooks;
  hooks.interrupt = &set;
  const RunResult run = sample(normal_model(), settings, hooks);
  EXPECT_TRUE(run.interrupted);
  EXPECT_EQ(run.draws.chains() == 0 ? 0u : run.draws.draws(0), 0u);
}

}  // namespace
}  // namespace sgmcmc
