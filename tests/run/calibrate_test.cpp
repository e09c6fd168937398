// Calibration of whole fits: an exact sampler passes, planted errors do not, and results do not depend on threads.
#include "errors/message_of.hpp"

#include <sgmcmc/calibrate.hpp>
#include <sgmcmc/distributions.hpp>
#include <sgmcmc/error.hpp>
#include <sgmcmc/random.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace sgmcmc {
namespace {

/// theta ~ N(0, 1) and five observations of it; the fitted model may assume a different prior.
Simulation normal_mean(double believed_sd = 1) {
  return [believed_sd](std::uint64_t replication) {
    std::vector<double> z(6);
    fill_normal({77, 0, replication, Purpose::data}, z);
    std::vector<double> y(5);
    for (std::size_t i = 0; i < 5; ++i) y[i] = z[0] + 2 * z[1 + i];
    auto model = std::make_shared<Model>(Dataset::Builder().real("y", y).build());
    const auto theta = model->parameter("theta");
    model->prior(normal_lpdf(theta, 0, believed_sd));
    model->likelihood(normal_lpdf(model->row("y"), theta, 2));
    return SimulatedModel{model, {z[0]}};
  };
}

SampleOptions short_nuts() {
  SampleOptions options;
  options.method("nuts");
  options.warmup = 150;
  options.iterations = 300;
  return options;
}

CalibrateOptions replications(std::uint64_t count, int threads = 1) {
  CalibrateOptions how;
  how.replications = count;
  how.threads = threads;
  how.draws = 31;
  return how;
}

TEST(Calibrate, ExactSampler_HasUniformRanks) {
  // False-alarm rate: the level of the tests, 1 %, for one fixed seed.
  const auto found = calibrate(normal_mean(), short_nuts(), replications(200));
  EXPECT_EQ(found.names, (std::vector<std::string>{"theta", "lp__"}));
  EXPECT_EQ(found.replications, 200u);
  EXPECT_EQ(found.failed, 0u);
  EXPECT_DOUBLE_EQ(found.threshold(), 0.01 / 6);
  EXPECT_TRUE(found.calibrated()) << found.tests[0].ecdf_p_value << " " << found.tests[1].ecdf_p_value;
  EXPECT_GE(found.smallest_effective_size, 31);
}

TEST(Calibrate, ModelWithAnotherPrior_IsRejected) {
  const auto found = calibrate(normal_mean(0.4), short_nuts(), replications(200));
  EXPECT_FALSE(found.is_uniform(0));
  EXPECT_FALSE(found.calibrated());
  EXPECT_LT(found.tests[0].spread, 0.9);
}

TEST(Calibrate, LargeStepOfAnInexactSampler_IsRejectedAsTooWide) {
  // The posterior variance is v = 1 / 2.25. With step e the stationary variance is v / (1 - e / (4 v)), which is 2 v at
  // e = 2 v.
  SampleOptions options;
  options.method("sgld-full").step_size(2 / 2.25);
  options.warmup = 50;
  options.iterations = 400;
  const auto found = calibrate(normal_mean(), options, replications(400));
  EXPECT_FALSE(found.is_uniform(0));
  EXPECT_NEAR(found.tests[0].spread, std::sqrt(2.0), 0.2);
  // At a step sixty times smaller, no bias is detectable: false-alarm rate 1 %.
  options.step_size(2 / 2.25 / 60);
  options.iterations = 3'000;
  CalibrateOptions how = replications(60);
  how.draws = 7;
  EXPECT_TRUE(calibrate(normal_mean(), options, how).calibrated());
}

TEST(Calibrate, Threads_ChangeNothing) {
  const auto one = calibrate(normal_mean(), short_nuts(), replications(12, 1));
  const auto three = calibrate(normal_mean(), short_nuts(), replications(12, 3));
  EXPECT_EQ(one.ranks, three.ranks);
  EXPECT_EQ(one.smallest_effective_size, three.smallest_effective_size);
  auto other_seed = short_nuts();
  other_seed.seed = 2;
  EXPECT_NE(one.ranks, calibrate(normal_mean(), other_seed, replications(12, 1)).ranks);
}

TEST(Calibrate, DependentDraws_AreRunLongerAndCounted) {
  SampleOptions options;
  options.method("sgld-full").step_size(0.01);
  options.iterations = 100;
  CalibrateOptions how = replications(4);
  how.longest = 4;
  const auto found = calibrate(normal_mean(), options, how);
  EXPECT_EQ(found.extended, 4u);
  EXPECT_EQ(found.dependent, 4u);
  EXPECT_DOUBLE_EQ(found.iterations_per_draw, 400.0 / 31);
  EXPECT_LT(found.smallest_effective_size, 31);
}

TEST(Calibrate, FitsThatFail_AreCountedOrEndTheRun) {
  SampleOptions options;
  options.method("sgld-full").step_size(1e3);
  options.iterations = 1000;
  options.recoveries = 0;
  const std::string message =
      testing::message_of<DivergenceError>([&] { calibrate(normal_mean(), options, replications(4)); });
  EXPECT_TRUE(message.starts_with("calibrate: 4 of 4 fits failed; replication 1: chain 1 diverged at iteration "))
      << message;
  // Only the first fit fails: its posterior is far too narrow for the step.
  const Simulation simulate = [](std::uint64_t replication) {
    auto simulated = normal_mean()(replication);
    if (replication > 0) return simulated;
    auto model = std::make_shared<Model>();
    const auto theta = model->parameter("theta");
    model->prior(normal_lpdf(theta, 0, 1e-3));
    return SimulatedModel{model, simulated.truth};
  };
  options.step_size(0.3);
  CalibrateOptions how = replications(4);
  how.log_density = false;
  const auto found = calibrate(simulate, options, how);
  EXPECT_EQ(found.failed, 1u);
  EXPECT_EQ(found.replications, 3u);
  EXPECT_FALSE(found.calibrated());
  EXPECT_FALSE(found.first_failure.empty());
}

TEST(Calibrate, Interrupt_KeepsWhatIsFinished) {
  std::atomic<bool> stop{false};
  CalibrateOptions how = replications(50);
  how.interrupt = &stop;
  how.progress = [&](std::uint64_t finished) { stop = finished == 5; };
  const auto found = calibrate(normal_mean(), short_nuts(), how);
  EXPECT_TRUE(found.interrupted);
  EXPECT_EQ(found.replications, 5u);
}

TEST(Calibrate, WrongOptions_AreRefused) {
  const auto message = [](auto change) {
    CalibrateOptions how;
    change(how);
    return testing::message_of<OptionError>([&] { calibrate(normal_mean(), short_nuts(), how); });
  };
  EXPECT_EQ(message([](auto& how) { how.replications = 0; }), "replications: ask for at least 1");
  EXPECT_EQ(message([](auto& how) { how.draws = 0; }), "draws: a number from 1 to 1000000 is expected");
  EXPECT_EQ(message([](auto& how) { how.level = 1; }), "level: a number between 0 and 1 is expected");
  EXPECT_EQ(message([](auto& how) { how.longest = 0; }), "longest: at least 1 is expected");
  EXPECT_EQ(testing::message_of<ModelError>([] {
              calibrate([](std::uint64_t r) { return SimulatedModel{normal_mean()(r).model, {}}; }, short_nuts());
            }),
            "calibrate: replication 1 has 0 true values; the model has 1 parameters");
}

}  // namespace
}  // namespace sgmcmc
