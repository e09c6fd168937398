// Requirements on every sampler: exact first steps, reproducible and resumable chains, failures as a status, no
// allocations.
#include "allocations/allocation_count.hpp"
#include "base/thread_pool.hpp"
#include "dynamics/chains.hpp"
#include "dynamics/targets.hpp"

#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

namespace sgmcmc::testing {
namespace {

constexpr std::size_t coordinates = 700;  // more than one block of noise, and not a whole number of them

std::vector<SamplerOptions> every_sampler(Schedule schedule = {}) {
  SghmcOptions persistent{.step_size = 0.01, .schedule = schedule, .refresh_momentum = false};
  SghmcOptions plain{.step_size = 0.01, .schedule = schedule, .form = SghmcForm::plain};
  SghmcOptions corrected{.step_size = 0.01, .schedule = schedule, .noise_correction = NoiseCorrection::fisher};
  SgrldOptions sgrld{.step_size = 0.01, .schedule = schedule};
  sgrld.metric.value = [](std::span<const double> theta, std::span<double> metric) {
    for (std::size_t j = 0; j < theta.size(); ++j) metric[j] = 1.0 + 1.0 / (1.0 + theta[j] * theta[j]);
  };
  return {SgldOptions{.step_size = 0.01, .schedule = schedule},
          SghmcOptions{.step_size = 0.01, .schedule = schedule},
          persistent,
          plain,
          corrected,
          SgnhtOptions{.step_size = 0.01, .schedule = schedule},
          PsgldOptions{.step_size = 0.01, .schedule = schedule},
          HamcmcOptions{.step_size = 0.01, .schedule = schedule},
          sgrld};
}

GaussianTarget target() { return {std::vector<double>(coordinates, 1.5), 2.0}; }

std::vector<double> start() {
  std::vector<double> theta(coordinates);
  for (std::size_t j = 0; j < coordinates; ++j) theta[j] = std::sin(static_cast<double>(j));
  return theta;
}

std::vector<double> copy(std::span<const double> values) { return {values.begin(), values.end()}; }

/// Writes the state out, or puts it back: the one path by which chains are saved.
class Snapshot final : public StateVisitor {
 public:
  void visit(std::string_view name, double& value) override { exchange(numbers_[std::string(name)], value); }
  void visit(std::string_view name, std::uint64_t& value) override { exchange(counts_[std::string(name)], value); }
  void visit(std::string_view name, std::vector<double>& values) override {
    exchange(vectors_[std::string(name)], values);
  }
  bool restoring = false;

 private:
  template <class Value>
  void exchange(Value& kept, Value& live) {
    if (restoring)
      live = kept;
    else
      kept = live;
  }
  std::map<std::string, double> numbers_;
  std::map<std::string, std::uint64_t> counts_;
  std::map<std::string, std::vector<double>> vectors_;
};

TEST(Sgld, OneStep_IsTheEquation) {
  GaussianTarget estimator = target();
  const auto sgld = make_dynamics(SgldOptions{.step_size = 0.04}, coordinates);
  const auto theta = start();
  std::vector<double> gradient(coordinates), noise(coordinates);
  estimator.estimate(theta, 9, gradient);
  fill_normal({11, 2, 9, Purpose::noise}, noise);
  sgld->initialise(theta, {11, 2});
  ASSERT_TRUE(sgld->step(estimator, 9).ok());
  for (std::size_t j = 0; j < coordinates; ++j)
    EXPECT_NEAR(sgld->position()[j], theta[j] + 0.02 * gradient[j] + 0.2 * noise[j], 1e-14);
  EXPECT_EQ(sgld->last_step_size(), 0.04);
}

TEST(Sghmc, TrajectoryOfOneStep_IsSgldWithTheMomentumAsNoise) {
  GaussianTarget estimator = target();
  const auto sghmc =
      make_dynamics(SghmcOptions{.step_size = 0.04, .friction = 0.3, .trajectory_length = 1}, coordinates);
  const auto theta = start();
  std::vector<double> gradient(coordinates), noise(coordinates);
  estimator.estimate(theta, 9, gradient);
  fill_normal({11, 2, 9, Purpose::momentum}, noise);
  sghmc->initialise(theta, {11, 2});
  ASSERT_TRUE(sghmc->step(estimator, 9).ok());
  for (std::size_t j = 0; j < coordinates; ++j)
    EXPECT_NEAR(sghmc->position()[j], theta[j] + 0.02 * gradient[j] + 0.2 * noise[j], 1e-14);
}

TEST(Sgnht, TwoSteps_AreTheEquationsOfThePaper) {
  GaussianTarget estimator = target();
  const double epsilon = 0.04, a = 0.05;
  const auto sgnht = make_dynamics(SgnhtOptions{.step_size = epsilon, .diffusion = a}, coordinates);
  std::vector<double> theta = start(), nu(coordinates), gradient(coordinates), noise(coordinates);
  sgnht->initialise(theta, {11, 2});
  fill_normal({11, 2, 0, Purpose::momentum}, nu);
  for (double& n : nu) n *= std::sqrt(epsilon);
  double alpha = a;
  for (std::uint64_t t = 0; t < 3; ++t) {
    ASSERT_TRUE(sgnht->step(estimator, t).ok());
    double squared_norm = 0.0;
    for (std::size_t j = 0; j < coordinates; ++j) theta[j] += nu[j];
    estimator.estimate(theta, t, gradient);
    fill_normal({11, 2, t, Purpose::noise}, noise);
    for (std::size_t j = 0; j < coordinates; ++j) {
      nu[j] = (1.0 - alpha) * nu[j] + epsilon * gradient[j] + std::sqrt(2.0 * a * epsilon) * noise[j];
      squared_norm += nu[j] * nu[j];
    }
    alpha += squared_norm / static_cast<double>(coordinates) - epsilon;
    for (std::size_t j = 0; j < coordinates; ++j) ASSERT_NEAR(sgnht->position()[j], theta[j], 1e-12);
  }
}

TEST(Dynamics, ParametersBeforeAndAfter_DoNotChangeTheNoiseOfOne) {
  // Draws of a parameter must not depend on how the loop is cut into blocks: compare with a chain of fewer parameters.
  for (const std::size_t shorter : {std::size_t{3}, std::size_t{512}, std::size_t{513}}) {
    GaussianTarget many(std::vector<double>(coordinates, 1.5), 0.0), few(std::vector<double>(shorter, 1.5), 0.0);
    const auto long_chain = make_dynamics(SgldOptions{.step_size = 0.04}, coordinates);
    const auto short_chain = make_dynamics(SgldOptions{.step_size = 0.04}, shorter);
    long_chain->initialise(std::vector<double>(coordinates, 0.0), {1, 0});
    short_chain->initialise(std::vector<double>(shorter, 0.0), {1, 0});
    for (std::uint64_t t = 0; t < 3; ++t) {
      ASSERT_TRUE(long_chain->step(many, t).ok());
      ASSERT_TRUE(short_chain->step(few, t).ok());
    }
    for (std::size_t j = 0; j < shorter; ++j) EXPECT_EQ(long_chain->position()[j], short_chain->position()[j]);
  }
}

TEST(Dynamics, SavedStateRestored_ContinuesTheSameChain) {
  for (const SamplerOptions& options : every_sampler(Schedule::decay(3.0, 0.6))) {
    GaussianTarget estimator = target();
    const auto chain = make_dynamics(options, coordinates);
    chain->initialise(start(), {4, 7});
    for (std::uint64_t t = 0; t < 6; ++t) ASSERT_TRUE(chain->step(estimator, t).ok());
    Snapshot snapshot;
    chain->visit_state(snapshot);
    for (std::uint64_t t = 6; t < 12; ++t) ASSERT_TRUE(chain->step(estimator, t).ok());

    const auto resumed = make_dynamics(options, coordinates);
    resumed->initialise(std::vector<double>(coordinates, 0.0), {4, 7});
    snapshot.restoring = true;
    resumed->visit_state(snapshot);
    for (std::uint64_t t = 6; t < 12; ++t) ASSERT_TRUE(resumed->step(estimator, t).ok());
    EXPECT_EQ(copy(chain->position()), copy(resumed->position())) << sampler_name(options);
  }
}

TEST(Dynamics, OtherSeedOrChain_OtherDraws) {
  for (const SamplerOptions& options : every_sampler()) {
    GaussianTarget estimator = target();
    const auto run = [&](const ChainKey& key) {
      const auto chain = make_dynamics(options, coordinates);
      chain->initialise(start(), key);
      for (std::uint64_t t = 0; t < 3; ++t) EXPECT_TRUE(chain->step(estimator, t).ok());
      return copy(chain->position());
    };
    EXPECT_EQ(run({1, 0}), run({1, 0}));
    EXPECT_NE(run({1, 0}), run({2, 0}));
    EXPECT_NE(run({1, 0}), run({1, 1}));
  }
}

/// Records which evaluations are asked for.
class Counting final : public GradientEstimator {
 public:
  std::size_t dimension() const override { return 1; }
  void estimate(std::span<const double>, std::uint64_t evaluation, std::span<double> gradient) override {
    asked.push_back(evaluation);
    gradient[0] = 0.0;
  }
  void estimate_with_variance(std::span<const double> theta, std::uint64_t evaluation, std::span<double> gradient,
                              std::span<double> variance) override {
    estimate(theta, evaluation, gradient);
    variance[0] = 0.0;
  }
  std::vector<std::uint64_t> asked;
};

TEST(Dynamics, Evaluations_AreNumberedWithoutGapsOrRepeats) {
  const auto asked_by = [](const SamplerOptions& options) {
    const auto chain = make_dynamics(options, 1);
    Counting estimator;
    chain->initialise(std::vector<double>{0.0}, {1, 0});
    for (std::uint64_t t = 0; t < 3; ++t) EXPECT_TRUE(chain->step(estimator, t).ok());
    return estimator.asked;
  };
  using Numbers = std::vector<std::uint64_t>;
  EXPECT_EQ(asked_by(SgldOptions{.step_size = 0.1}), (Numbers{0, 1, 2}));
  EXPECT_EQ(asked_by(SgnhtOptions{.step_size = 0.1}), (Numbers{0, 1, 2}));
  SghmcOptions sghmc{.step_size = 0.1, .trajectory_length = 3};
  EXPECT_EQ(asked_by(sghmc), (Numbers{0, 1, 2, 3, 4, 5, 6, 7, 8})) << "L gradients per trajectory, none more";
  sghmc.noise_correction = NoiseCorrection::fisher;
  EXPECT_EQ(asked_by(sghmc), (Numbers{0, 1, 2, 3, 4, 5, 6, 7, 8}));
  sghmc.form = SghmcForm::plain;
  EXPECT_EQ(asked_by(sghmc), (Numbers{0, 1, 2, 3, 4, 5})) << "the last gradient would change nothing";
}

/// A Gaussian whose gradient breaks at one evaluation and coordinate, with the value given.
class Breaking final : public GradientEstimator {
 public:
  explicit Breaking(double value) : value_(value) {}
  std::size_t dimension() const override { return coordinates; }
  void estimate(std::span<const double> theta, std::uint64_t evaluation, std::span<double> gradient) override {
    for (std::size_t j = 0; j < theta.size(); ++j) gradient[j] = -theta[j];
    if (evaluation == broken_at) gradient[617] = value_;
  }
  void estimate_with_variance(std::span<const double> theta, std::uint64_t evaluation, std::span<double> gradient,
                              std::span<double> variance) override {
    estimate(theta, evaluation, gradient);
    for (double& v : variance) v = 0.0;
  }
  std::uint64_t broken_at = 0;

 private:
  double value_;
};

TEST(Dynamics, NonFiniteGradient_IsAStatusNamingTheCoordinate) {
  for (const double value : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    for (const SamplerOptions& options : every_sampler()) {
      Breaking estimator(value);
      const auto chain = make_dynamics(options, coordinates);
      estimator.broken_at = 2 * chain->evaluations_per_iteration();
      chain->initialise(start(), {1, 0});
      ASSERT_TRUE(chain->step(estimator, 0).ok());
      ASSERT_TRUE(chain->step(estimator, 1).ok());
      const auto before = copy(chain->position());
      const StepStatus status = chain->step(estimator, 2);
      EXPECT_EQ(status.failure, StepFailure::gradient_not_finite) << sampler_name(options);
      EXPECT_EQ(status.coordinate, 617u);
      EXPECT_EQ(copy(chain->position()), before) << "the last good draw stays";
      EXPECT_TRUE(chain->step(estimator, 3).ok()) << "and the chain can go on from it";
    }
}

TEST(Dynamics, OverflowOfThePosition_IsAStatusNamingTheCoordinate) {
  for (const SamplerOptions& options : every_sampler()) {
    if (std::holds_alternative<PsgldOptions>(options)) continue;  // divides by the gradient: nothing overflows
    Breaking estimator(std::numeric_limits<double>::max());
    SamplerOptions wild = options;
    set_option(wild, "step_size", "1e4");
    const auto chain = make_dynamics(wild, coordinates);
    chain->initialise(start(), {1, 0});
    StepStatus status;
    for (std::uint64_t t = 0; t < 4 && status.ok(); ++t) status = chain->step(estimator, t);
    EXPECT_FALSE(status.ok()) << sampler_name(options);
    EXPECT_EQ(status.coordinate, 617u);
    for (const double x : chain->position()) ASSERT_TRUE(std::isfinite(x));
  }
}

// So many that the threads of a pool share them, and not a whole number of blocks of noise.
constexpr std::size_t very_many = 40'001;

TEST(Dynamics, VeryManyParameters_MoveAlikeOnAnyNumberOfThreads) {
  const std::vector<SamplerOptions> samplers = {SgldOptions{.step_size = 0.01},  SghmcOptions{.step_size = 0.01},
                                                SgnhtOptions{.step_size = 0.01}, PsgldOptions{.step_size = 0.01},
                                                BaoabOptions{.step_size = 0.01}, SglmOptions{.step_size = 0.01}};
  const std::vector<double> zeros(very_many, 0.0);
  ThreadPool pool(3);
  for (const bool single_precision : {false, true})
    for (const SamplerOptions& options : samplers) {
      const auto after_steps = [&](ThreadPool* threads) {
        GaussianTarget estimator(std::vector<double>(very_many, 1.5), 2.0);
        const auto chain = make_dynamics(options, very_many);
        chain->set_pool(threads);
        chain->initialise(zeros, {1, 0, single_precision});
        for (std::uint64_t t = 0; t < 3; ++t) EXPECT_TRUE(chain->step(estimator, t).ok());
        return copy(chain->position());
      };
      EXPECT_EQ(after_steps(&pool), after_steps(nullptr)) << sampler_name(options);
    }
}

TEST(Dynamics, VeryManyParametersOnThreads_AreStillCheckedOneByOne) {
  ThreadPool pool(3);
  std::vector<double> precision(very_many, 1.0);
  precision[30'000] = std::numeric_limits<double>::quiet_NaN();
  GaussianTarget estimator(precision, 1.0);
  const auto chain = make_dynamics(SgldOptions{.step_size = 0.01}, very_many);
  chain->set_pool(&pool);
  chain->initialise(std::vector<double>(very_many, 1.0), {1, 0});
  const StepStatus status = chain->step(estimator, 0);
  EXPECT_EQ(status.failure, StepFailure::gradient_not_finite);
  EXPECT_EQ(status.coordinate, 30'000u);
}

TEST(Dynamics, StartNotFiniteOrOfWrongLength_Throws) {
  const auto chain = make_dynamics(SgldOptions{.step_size = 0.1}, 2);
  EXPECT_THROW(chain->initialise(std::vector<double>{0.0}, {}), OptionError);
  EXPECT_THROW(chain->initialise(std::vector<double>{0.0, std::nan("")}, {}), OptionError);
}

TEST(Dynamics, Steps_AllocateNothing) {
  for (const Schedule& schedule : {Schedule::constant(), Schedule::decay(10.0, 0.5)})
    for (const SamplerOptions& options : every_sampler(schedule)) {
      GaussianTarget estimator = target();
      const auto chain = make_dynamics(options, coordinates);
      chain->initialise(start(), {1, 0});
      bool fine = chain->step(estimator, 0).ok();
      const std::size_t before = allocation_count();
      for (std::uint64_t t = 1; t < 20; ++t) fine = fine && chain->step(estimator, t).ok();
      EXPECT_EQ(allocation_count(), before) << sampler_name(options);
      EXPECT_TRUE(fine);
    }
  const std::size_t before = allocation_count();
  const auto one = std::make_unique<std::vector<double>>();
  EXPECT_EQ(allocation_count(), before + 1) << "the counter counts";
}

}  // namespace
}  // namespace sgmcmc::testing
