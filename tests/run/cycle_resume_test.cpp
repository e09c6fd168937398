// Resumed cycles equal uninterrupted ones.
#include <sgmcmc/cycle.hpp>
#include <sgmcmc/distributions.hpp>
#include <sgmcmc/error.hpp>
#include <sgmcmc/random.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>

namespace sgmcmc {
namespace {

namespace fs = std::filesystem;

/// y ~ normal(mu + shift, sigma): a sampler updates mu and sigma, Gibbs updates shift, and a kernel counts its own
/// steps.
Cycle counting_cycle(const Model& model, const SamplerOptions& sampler, Estimator estimator, bool count_is_saved) {
  Cycle cycle;
  cycle.block("mu", 0.5).block("sigma", 1.0).block("shift", 0.0).block("count", 0.0).block("walk", 0.0);
  GradientOptions gradient;
  gradient.estimator = estimator;
  gradient.minibatch.batch_size = 10;
  cycle.gradient({"mu", "sigma"}, sampler, model, gradient);
  cycle.gibbs({"shift"}, [](Blocks& state, KernelRandom& random) {
    state.set("shift", 0.1 * state.number("mu") + 0.01 * random.normal());
  });
  cycle.random_walk("walk", 0.8,
                    [](const Blocks& state) { return -0.5 * state.number("walk") * state.number("walk"); });
  cycle.kernel("count", {"count"}, [count_is_saved](const ChainStart&) -> BlockKernel {
    const auto steps = std::make_shared<std::uint64_t>(0);
    BlockKernel kernel = [steps](Blocks& state, KernelRandom& random, std::uint64_t) {
      state.set("count", static_cast<double>(++*steps) + random.uniform());
      return BlockMove{};
    };
    if (count_is_saved) kernel.visit_state = [steps](StateVisitor& visitor) { visitor.visit("steps", *steps); };
    return kernel;
  });
  return cycle;
}

Model normal_model() {
  std::vector<double> y(100);
  fill_normal({7, 0, 0, Purpose::data}, y);
  Model model(Dataset::Builder().real("y", y).build());
  const auto mu = model.parameter("mu");
  const auto sigma = model.parameter("sigma", {}, Constraint::lower(0.0));
  const auto shift = model.parameter("shift");
  model.prior(normal_lpdf(mu, 0.0, 1.0));
  model.prior(normal_lpdf(sigma, 0.0, 1.0));
  model.prior(normal_lpdf(shift, 0.0, 1.0));
  model.likelihood(normal_lpdf(model.row("y"), mu + shift, sigma));
  return model;
}

class CycleCheckpoint : public ::testing::Test {
 protected:
  CycleCheckpoint()
      : folder_(fs::path(::testing::TempDir()) /
                ("sgmcmc-cycle-" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()))) {
    fs::remove_all(folder_);
    options_.iterations = 300;
    options_.warmup = 40;
    options_.thin = 2;
    options_.chains = 2;
    options_.threads = 1;
  }
  ~CycleCheckpoint() override { fs::remove_all(folder_); }

  /// Interrupts the run twice, during warm-up and after it, and resumes it.
  CycleResult run_with_breaks(const Cycle& cycle) const {
    CycleOptions options = options_;
    options.checkpoint.folder = folder_;
    options.checkpoint.every_seconds = 1e-9;
    options.progress_seconds = 0;
    for (const std::uint64_t after : {std::uint64_t{17}, std::uint64_t{211}}) {
      std::atomic<bool> stop{false};
      options.interrupt = &stop;
      options.progress = [&](const Progress& progress) {
        if (progress.iteration >= after) stop.store(true);
      };
      EXPECT_TRUE(cycle.run(options).interrupted);
      options.checkpoint.resume = true;
    }
    options.interrupt = nullptr;
    options.progress = {};
    return cycle.run(options);
  }

  static bool same(const CycleResult& a, const CycleResult& b) {
    for (std::size_t chain = 0; chain < a.draws.chains(); ++chain) {
      if (a.draws.draws(chain) != b.draws.draws(chain)) return false;
      for (std::size_t draw = 0; draw < a.draws.draws(chain); ++draw)
        for (std::size_t k = 0; k < a.names.size(); ++k)
          if (a.draws(chain, draw, k) != b.draws(chain, draw, k)) return false;
    }
    for (std::size_t k = 0; k < a.kernels.size(); ++k)
      if (a.kernels[k].steps != b.kernels[k].steps || a.kernels[k].accepted != b.kernels[k].accepted) return false;
    return a.moments.mean()[0] == b.moments.mean()[0] && a.moments.variance(0) == b.moments.variance(0);
  }

  fs::path folder_;
  CycleOptions options_;
};

TEST_F(CycleCheckpoint, InterruptedAndResumed_IsTheUndisturbedRun) {
  const Model model = normal_model();
  const std::vector<std::pair<SamplerOptions, Estimator>> kernels{
      {NutsOptions{}, Estimator::full},
      {SgldOptions{.step_size = 1e-3}, Estimator::minibatch},
      {SghmcOptions{.step_size = 1e-3, .trajectory_length = 3}, Estimator::saga},
      {SgnhtOptions{.step_size = 1e-3}, Estimator::svrg}};
  for (const auto& [sampler, estimator] : kernels) {
    const Cycle cycle = counting_cycle(model, sampler, estimator, true);
    fs::remove_all(folder_);
    EXPECT_TRUE(same(run_with_breaks(cycle), cycle.run(options_))) << sampler_name(sampler);
  }
}

TEST_F(CycleCheckpoint, AKernelThatDoesNotSayWhatItRemembers_IsNotTheUndisturbedRun) {
  const Model model = normal_model();
  const Cycle cycle = counting_cycle(model, SgldOptions{.step_size = 1e-3}, Estimator::minibatch, false);
  EXPECT_FALSE(same(run_with_breaks(cycle), cycle.run(options_))) << "the comparison notices a state that is lost";
}

TEST_F(CycleCheckpoint, MoreIterations_GoOnFromTheEnd) {
  const Model model = normal_model();
  const Cycle cycle = counting_cycle(model, NutsOptions{}, Estimator::full, true);
  CycleOptions options = options_;
  options.checkpoint.folder = folder_;
  cycle.run(options);
  options.checkpoint.resume = true;
  options.iterations = 500;
  const auto extended = cycle.run(options);
  options_.iterations = 500;
  EXPECT_TRUE(same(extended, cycle.run(options_)));
}

TEST_F(CycleCheckpoint, ACycleOfOtherKernels_IsRefused) {
  const Model model = normal_model();
  CycleOptions options = options_;
  options.checkpoint.folder = folder_;
  counting_cycle(model, SgldOptions{.step_size = 1e-3}, Estimator::minibatch, true).run(options);
  options.checkpoint.resume = true;
  EXPECT_THROW(counting_cycle(model, NutsOptions{}, Estimator::full, true).run(options), FileError);
}

}  // namespace
}  // namespace sgmcmc
