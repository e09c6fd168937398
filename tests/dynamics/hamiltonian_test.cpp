// The parts of exact samplers: leapfrog steps, the metric, adaptation, and single steps against their equations.
#include "dynamics/hamiltonian.hpp"

#include "allocations/allocation_count.hpp"
#include "dynamics/densities.hpp"
#include "dynamics/naive_nuts.hpp"
#include "errors/message_of.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

namespace sgmcmc::testing {
namespace {

using Vector = std::vector<double>;

std::unique_ptr<HamiltonianDynamics> hamiltonian(const SamplerOptions& options, std::size_t dimension) {
  auto made = make_dynamics(options, dimension);
  auto* cast = dynamic_cast<HamiltonianDynamics*>(made.get());
  if (cast) made.release();
  return std::unique_ptr<HamiltonianDynamics>(cast);
}

Vector copy(std::span<const double> values) { return {values.begin(), values.end()}; }

TEST(DualAveraging, ByHand_IsThePublishedRecursion) {
  DualAveraging averaging(0.8);
  averaging.restart(0.2);
  EXPECT_EQ(averaging.kept(), 0.2);
  // Computed by hand from the recursion; an acceptance above 1 counts as 1.
  const double acceptance[] = {1.0, 0.0, 0.6, 1.7, 0.25};
  const double tried[] = {2.877102019155355, 0.4862334688684284, 0.23725787255234826, 0.3601846242959046,
                          0.06486219186160203};
  const double kept[] = {2.877102019155355, 0.9996677087085385, 0.5319045263530771, 0.4634192670451469,
                         0.2573793846401991};
  for (int m = 0; m < 5; ++m) {
    EXPECT_NEAR(averaging.update(acceptance[m]), tried[m], 1e-12);
    EXPECT_NEAR(averaging.kept(), kept[m], 1e-12);
  }
}

TEST(WarmupWindows, Lengths_AreThoseOfStan) {
  const WarmupWindows usual(1000);
  EXPECT_EQ(usual.begin(), 75u);
  EXPECT_EQ(usual.ends(), (std::vector<std::uint64_t>{100, 150, 250, 450, 950}));
  EXPECT_FALSE(usual.collects(74));
  EXPECT_TRUE(usual.collects(75));
  EXPECT_TRUE(usual.collects(949));
  EXPECT_FALSE(usual.collects(950));
  EXPECT_TRUE(usual.closes(99));
  EXPECT_FALSE(usual.closes(100));
  EXPECT_TRUE(usual.closes(949));
  EXPECT_EQ(WarmupWindows(150).ends(), (std::vector<std::uint64_t>{100}));
  EXPECT_EQ(WarmupWindows(100).begin(), 15u);
  EXPECT_EQ(WarmupWindows(100).ends(), (std::vector<std::uint64_t>{90}));
  EXPECT_TRUE(WarmupWindows(19).ends().empty());
  EXPECT_FALSE(WarmupWindows(0).collects(0));
  for (std::uint64_t n = 20; n < 3000; ++n) {
    const WarmupWindows windows(n);
    ASSERT_FALSE(windows.ends().empty());
    ASSERT_LT(windows.ends().back(), n) << "the step size needs some iterations with the last metric";
  }
}

TEST(MassMatrix, KineticEnergy_IsThatOfTheStandardNormalsBehindTheMomentum) {
  const GaussianDensity gaussian = correlated_gaussian();
  Vector z(3), momentum(3), velocity(3);
  const StreamKey key{4, 0, 0, Purpose::momentum};
  fill_normal(key, z, 8);
  const double expected = 0.5 * (z[0] * z[0] + z[1] * z[1] + z[2] * z[2]);
  for (const Metric metric : {Metric::unit, Metric::diagonal, Metric::dense}) {
    MassMatrix mass(metric, 3);
    if (metric == Metric::diagonal) mass.set_inverse(Vector{1.0, 4.0, 0.49});
    if (metric == Metric::dense) mass.set_inverse({gaussian.covariance.data(), 9});
    mass.draw_momentum(key, 8, momentum);
    EXPECT_NEAR(mass.velocity(momentum, velocity), expected, 1e-12);
    if (metric != Metric::dense) continue;
    const Eigen::Vector3d product = gaussian.covariance * Eigen::Map<const Eigen::Vector3d>(momentum.data());
    for (int j = 0; j < 3; ++j) EXPECT_NEAR(velocity[static_cast<std::size_t>(j)], product[j], 1e-12);
  }
}

TEST(MassMatrix, Estimate_IsTheShrunkCovarianceOfTheDrawsSinceTheLast) {
  Eigen::MatrixXd draws(6, 3);
  for (Eigen::Index i = 0; i < 6; ++i)
    draws.row(i) = Eigen::Map<Eigen::RowVector3d>(correlated_gaussian().draw(static_cast<std::uint64_t>(i)).data());
  const Eigen::MatrixXd centred = draws.rowwise() - draws.colwise().mean();
  const Eigen::MatrixXd expected =
      6.0 / 11.0 * (centred.transpose() * centred / 5.0) + 5.0 / 11.0 * 1e-3 * Eigen::MatrixXd::Identity(3, 3);
  for (const Metric metric : {Metric::diagonal, Metric::dense}) {
    MassMatrix mass(metric, 3);
    for (int repetition = 0; repetition < 2; ++repetition) {
      for (Eigen::Index i = 0; i < 6; ++i) {
        const Eigen::RowVector3d row = draws.row(i);
        mass.collect({row.data(), 3});
      }
      mass.update();
      for (Eigen::Index a = 0; a < 3; ++a)
        for (Eigen::Index b = 0; b < 3; ++b) {
          if (metric == Metric::diagonal && a != b) continue;
          const auto place = static_cast<std::size_t>(metric == Metric::dense ? 3 * a + b : a);
          EXPECT_NEAR(mass.inverse()[place], expected(a, b), 1e-13);
        }
    }
  }
}

PhasePoint start_of(Density& density, const Vector& theta, const Vector& momentum) {
  PhasePoint point(theta.size());
  point.theta = theta;
  point.momentum = momentum;
  point.log_density = density.log_density(theta, point.gradient);
  return point;
}

TEST(Leapfrog, BackAgain_ArrivesWhereItBegan) {
  Density density = bent_density();
  const auto nuts = hamiltonian(NutsOptions{.metric = Metric::dense}, 2);
  nuts->mass_matrix().set_inverse(Vector{1.0, 0.3, 0.3, 0.5});
  PhasePoint point = start_of(density, {0.3, -0.7}, {1.1, -0.4});
  for (int k = 0; k < 25; ++k) nuts->leapfrog(density, point, 0.1);
  EXPECT_GT(std::abs(point.theta[0] - 0.3), 1e-2);
  for (int k = 0; k < 25; ++k) nuts->leapfrog(density, point, -0.1);
  EXPECT_NEAR(point.theta[0], 0.3, 1e-12);
  EXPECT_NEAR(point.theta[1], -0.7, 1e-12);
  EXPECT_NEAR(point.momentum[0], 1.1, 1e-12);
  EXPECT_NEAR(point.momentum[1], -0.4, 1e-12);
}

TEST(Leapfrog, Volume_IsKept) {
  Density density = bent_density();
  const auto nuts = hamiltonian(NutsOptions{}, 2);
  nuts->mass_matrix().set_inverse(Vector{0.8, 0.3});
  const double h = 1e-5;
  Eigen::Matrix4d jacobian;
  const auto image = [&](const Eigen::Vector4d& z) {
    PhasePoint point = start_of(density, {z[0], z[1]}, {z[2], z[3]});
    for (int k = 0; k < 5; ++k) nuts->leapfrog(density, point, 0.2);
    return Eigen::Vector4d(point.theta[0], point.theta[1], point.momentum[0], point.momentum[1]);
  };
  const Eigen::Vector4d at(0.3, -0.7, 1.1, -0.4);
  for (int j = 0; j < 4; ++j) {
    const Eigen::Vector4d step = h * Eigen::Vector4d::Unit(j);
    jacobian.col(j) = (image(at + step) - image(at - step)) / (2 * h);
  }
  EXPECT_NEAR(jacobian.determinant(), 1.0, 1e-7);
  EXPECT_GT((jacobian - Eigen::Matrix4d::Identity()).norm(), 0.5);
}

TEST(Leapfrog, EnergyError_FallsWithTheSquareOfTheStep) {
  Density density = bent_density();
  const auto nuts = hamiltonian(NutsOptions{.metric = Metric::unit}, 2);
  const auto error = [&](int steps) {
    PhasePoint point = start_of(density, {0.3, -0.7}, {1.1, -0.4});
    const auto energy = [&] {
      return 0.5 * (point.momentum[0] * point.momentum[0] + point.momentum[1] * point.momentum[1]) - point.log_density;
    };
    const double before = energy();
    for (int k = 0; k < steps; ++k) nuts->leapfrog(density, point, 1.5 / steps);
    return energy() - before;
  };
  EXPECT_NEAR(error(200) / error(400), 4.0, 0.05);
  EXPECT_NEAR(error(400) / error(800), 4.0, 0.02);
}

TEST(Mala, OneStep_IsTheEquationAndTheRatioOfMetropolis) {
  const GaussianDensity gaussian = correlated_gaussian();
  Density density = gaussian.density();
  const double h = 0.9;
  int accepted = 0;
  for (std::uint32_t chain = 0; chain < 50; ++chain) {
    const auto mala = make_dynamics(MalaOptions{.step_size = h, .metric = Metric::unit}, 3);
    const Vector theta = gaussian.draw(chain);
    mala->initialise(theta, {7, chain});
    ASSERT_TRUE(mala->step(density, 0).ok());
    Vector z(3), gradient(3), gradient_there(3), there(3), uniform(2);
    fill_normal({7, chain, 0, Purpose::momentum}, z);
    fill_uniform({7, chain, 0, Purpose::acceptance}, uniform);
    const double here_density = density.log_density(theta, gradient);
    for (std::size_t j = 0; j < 3; ++j) there[j] = theta[j] + 0.5 * h * h * gradient[j] + h * z[j];
    const double there_density = density.log_density(there, gradient_there);
    double log_ratio = there_density - here_density;  // the proposal densities are added below
    for (std::size_t j = 0; j < 3; ++j) {
      const double back = theta[j] - there[j] - 0.5 * h * h * gradient_there[j];
      log_ratio += 0.5 * z[j] * z[j] - 0.5 * back * back / (h * h);
    }
    EXPECT_NEAR(mala->statistics()[1], std::min(1.0, std::exp(log_ratio)), 1e-12);
    const bool accepts = uniform[1] < std::exp(log_ratio);
    accepted += accepts ? 1 : 0;
    for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(mala->position()[j], accepts ? there[j] : theta[j], 1e-12);
  }
  EXPECT_GT(accepted, 10);
  EXPECT_LT(accepted, 50) << "both outcomes were met";
}

TEST(Nuts, EveryStep_IsThatOfThePlainestProgram) {
  const GaussianDensity gaussian = correlated_gaussian();
  const Eigen::Matrix3d dense = (Eigen::Matrix3d() << 1.5, 0.4, 0.0, 0.4, 2.0, 0.2, 0.0, 0.2, 0.6).finished();
  for (const double step_size : {0.05, 0.4, 1.1}) {
    for (const bool bent : {false, true}) {
      Density density = bent ? bent_density() : gaussian.density();
      const std::size_t dimension = bent ? 2 : 3;
      const Eigen::MatrixXd inverse = bent ? Eigen::MatrixXd(dense.topLeftCorner(2, 2)) : Eigen::MatrixXd(dense);
      const auto nuts =
          hamiltonian(NutsOptions{.step_size = step_size, .max_tree_depth = 6, .metric = Metric::dense}, dimension);
      nuts->mass_matrix().set_inverse({inverse.data(), dimension * dimension});
      NaiveNuts naive(inverse, step_size, 6);
      const Vector start(dimension, 0.2);
      nuts->initialise(start, {3, 1});
      naive.initialise(start, {3, 1});
      for (std::uint64_t t = 0; t < 200; ++t) {
        ASSERT_TRUE(nuts->step(density, t).ok());
        ASSERT_TRUE(naive.step(density, t).ok());
        for (std::size_t j = 0; j < dimension; ++j)
          ASSERT_NEAR(nuts->position()[j], naive.position()[j], 1e-9) << "step " << step_size << ", iteration " << t;
        naive.set_position(nuts->position());  // prevents rounding errors from growing
      }
    }
  }
}

TEST(Nuts, Statistics_AreThoseOfTheTrajectory) {
  const GaussianDensity gaussian = correlated_gaussian();
  Density density = gaussian.density();
  const auto nuts = make_dynamics(NutsOptions{.step_size = 0.1, .max_tree_depth = 3}, 3);
  nuts->initialise(gaussian.draw(1), {3, 1});
  ASSERT_TRUE(nuts->step(density, 0).ok());
  bool at_limit = false;
  for (std::uint64_t t = 1; t < 30; ++t) {
    const std::uint64_t before = density.evaluations;
    ASSERT_TRUE(nuts->step(density, t).ok());
    const auto s = nuts->statistics();
    ASSERT_EQ(s.size(), NutsOptions::statistics.size());
    Vector gradient(3);
    EXPECT_EQ(s[4], static_cast<double>(density.evaluations - before));
    EXPECT_DOUBLE_EQ(s[0], density.log_density(nuts->position(), gradient));
    EXPECT_GT(s[1], 0.9);
    EXPECT_LE(s[1], 1.0);
    EXPECT_EQ(s[2], 0.1);
    EXPECT_LE(s[3], 3.0);
    EXPECT_LE(std::pow(2.0, s[3]) - 1.0, s[4]);
    at_limit = at_limit || (s[3] == 3.0 && s[4] == 7.0);
    EXPECT_EQ(s[5], 0.0);
    EXPECT_GE(s[6], -s[0]) << "kinetic energy is not negative";
    EXPECT_EQ(nuts->draw_weight(), 1.0);
  }
  EXPECT_TRUE(at_limit);
}

/// Every exact sampler, with short trajectories.
std::vector<SamplerOptions> every_exact_sampler() {
  return {NutsOptions{}, NutsOptions{.metric = Metric::dense}, NutsOptions{.metric = Metric::unit},
          HmcOptions{},  HmcOptions{.leapfrog_steps = 3},      MalaOptions{}};
}

/// Saves the state, or restores it.
class Snapshot final : public StateVisitor {
 public:
  void visit(std::string_view name, double& value) override { exchange(numbers_[std::string(name)], value); }
  void visit(std::string_view name, std::uint64_t& value) override { exchange(counts_[std::string(name)], value); }
  void visit(std::string_view name, std::vector<double>& v) override { exchange(vectors_[std::string(name)], v); }
  bool restoring = false;

 private:
  template <class Value>
  void exchange(Value& kept, Value& live) {
    restoring ? live = kept : kept = live;
  }
  std::map<std::string, double> numbers_;
  std::map<std::string, std::uint64_t> counts_;
  std::map<std::string, Vector> vectors_;
};

TEST(ExactSampler, SavedInTheMiddleOfWarmup_ContinuesTheSameChain) {
  const GaussianDensity gaussian = correlated_gaussian();
  for (const SamplerOptions& options : every_exact_sampler()) {
    Density density = gaussian.density();
    const auto chain = make_dynamics(options, 3);
    chain->initialise(gaussian.draw(5), {4, 7});
    chain->plan_warmup(160);
    for (std::uint64_t t = 0; t < 90; ++t) ASSERT_TRUE(chain->step(density, t).ok());
    Snapshot snapshot;
    chain->visit_state(snapshot);
    for (std::uint64_t t = 90; t < 180; ++t) ASSERT_TRUE(chain->step(density, t).ok());

    const auto resumed = make_dynamics(options, 3);
    resumed->initialise(Vector(3, 0.0), {4, 7});
    resumed->plan_warmup(160);
    snapshot.restoring = true;
    resumed->visit_state(snapshot);
    for (std::uint64_t t = 90; t < 180; ++t) ASSERT_TRUE(resumed->step(density, t).ok());
    EXPECT_EQ(copy(chain->position()), copy(resumed->position())) << sampler_name(options);
    EXPECT_EQ(chain->last_step_size(), resumed->last_step_size());
  }
}

TEST(ExactSampler, AfterWarmup_StepSizeAndMetricStay) {
  const GaussianDensity gaussian = correlated_gaussian();
  for (const SamplerOptions& options : every_exact_sampler()) {
    Density density = gaussian.density();
    const auto chain = hamiltonian(options, 3);
    chain->initialise(gaussian.draw(5), {4, 7});
    chain->plan_warmup(200);
    double before = 0.0;
    int changes = 0;
    for (std::uint64_t t = 0; t < 200; ++t) {
      ASSERT_TRUE(chain->step(density, t).ok());
      changes += chain->last_step_size() != before ? 1 : 0;
      before = chain->last_step_size();
    }
    EXPECT_GT(changes, 150);
    ASSERT_TRUE(chain->step(density, 200).ok());
    const double kept = chain->last_step_size();
    const Vector metric = copy(chain->mass_matrix().inverse());
    for (std::uint64_t t = 201; t < 220; ++t) {
      ASSERT_TRUE(chain->step(density, t).ok());
      EXPECT_EQ(chain->last_step_size(), kept);
    }
    EXPECT_EQ(copy(chain->mass_matrix().inverse()), metric);
  }
}

TEST(ExactSampler, WithoutWarmup_UsesTheStepSizeGivenOrFindsOne) {
  const GaussianDensity gaussian = correlated_gaussian();
  Density density = gaussian.density();
  for (const char* name : {"nuts", "hmc", "mala"}) {
    SamplerOptions options = sampler_options(name);
    const auto found = make_dynamics(options, 3);
    found->initialise(Vector(3, 0.1), {1, 0});
    ASSERT_TRUE(found->step(density, 0).ok());
    EXPECT_GT(found->last_step_size(), 0.1);
    EXPECT_LT(found->last_step_size(), 4.0);
    set_option(options, "step_size", "0.037");
    set_option(options, "adapt", "false");
    const auto given = make_dynamics(options, 3);
    given->initialise(Vector(3, 0.1), {1, 0});
    given->plan_warmup(100);
    for (std::uint64_t t = 0; t < 50; ++t) {
      ASSERT_TRUE(given->step(density, t).ok());
      EXPECT_EQ(given->last_step_size(), 0.037);
    }
  }
}

TEST(ExactSampler, ScalesOfManyOrders_AreAdaptedTo) {
  const std::size_t dimension = 8;
  Eigen::MatrixXd sigma = Eigen::MatrixXd::Zero(8, 8);
  for (Eigen::Index j = 0; j < 8; ++j) sigma(j, j) = std::pow(10.0, j - 4);  // sd from 0.01 to 32
  Density density = GaussianDensity(sigma).density();
  const auto nuts = hamiltonian(NutsOptions{}, dimension);
  nuts->initialise(Vector(dimension, 0.001), {1, 0});
  nuts->plan_warmup(1000);
  double acceptance = 0.0, steps = 0.0;
  for (std::uint64_t t = 0; t < 1200; ++t) {
    ASSERT_TRUE(nuts->step(density, t).ok());
    if (t < 1000) continue;
    acceptance += nuts->statistics()[1] / 200;
    steps += nuts->statistics()[4] / 200;
  }
  for (Eigen::Index j = 0; j < 8; ++j)
    EXPECT_NEAR(nuts->mass_matrix().inverse()[static_cast<std::size_t>(j)] / (sigma(j, j) + 1e-5), 1.0, 0.5) << j;
  EXPECT_NEAR(acceptance, 0.85, 0.1);
  EXPECT_LT(steps, 16.0) << "with the metric right, a few steps cross the posterior";
}

TEST(ExactSampler, DivergenceAndInfinity_AreStatisticsNotFailures) {
  for (const char* name : {"nuts", "hmc", "mala"}) {
    SamplerOptions options = sampler_options(name);
    set_option(options, "step_size", "0.5");
    const auto chain = make_dynamics(options, 1);
    Density density = wall_density();
    chain->initialise(Vector{0.1}, {1, 0});
    const auto names = statistic_names(options);
    const auto divergent =
        static_cast<std::size_t>(std::find(names.begin(), names.end(), "divergent__") - names.begin());
    int divergences = 0;
    for (std::uint64_t t = 0; t < 200; ++t) {
      ASSERT_TRUE(chain->step(density, t).ok());
      ASSERT_GT(chain->position()[0], 0.0);
      divergences += chain->statistics()[divergent] == 1.0 ? 1 : 0;
      for (const double x : chain->statistics()) ASSERT_TRUE(std::isfinite(x));
    }
    EXPECT_GT(divergences, 10) << name;
    EXPECT_LT(divergences, 190) << name;
  }
}

TEST(ExactSampler, DensityThatNeverFalls_IsCalledImproper) {
  Density flat(2, [](std::span<const double>, std::span<double> gradient) {
    gradient[0] = gradient[1] = 0.0;
    return 0.0;
  });
  const auto nuts = make_dynamics(NutsOptions{}, 2);
  nuts->initialise(Vector{0.0, 0.0}, {1, 0});
  EXPECT_NE(message_of<ModelError>([&] { nuts->step(flat, 0); }).find("improper"), std::string::npos);
}

TEST(ExactSampler, OptionsOutOfRange_ThrowNamingTheOption) {
  const auto message = [](const SamplerOptions& options) {
    return message_of<OptionError>([&] { validate(options, 3); });
  };
  EXPECT_NE(message(NutsOptions{.target_acceptance = 1.0}).find("target_acceptance"), std::string::npos);
  EXPECT_NE(message(NutsOptions{.max_tree_depth = 0}).find("max_tree_depth"), std::string::npos);
  EXPECT_NE(message(NutsOptions{.step_size = {0.1, 0.2, 0.3}}).find("metric"), std::string::npos);
  EXPECT_NE(message(HmcOptions{.step_size = -1.0}).find("step_size"), std::string::npos);
  EXPECT_NE(message(HmcOptions{.integration_time = 0.0}).find("integration_time"), std::string::npos);
  EXPECT_NE(message(HmcOptions{.jitter = 1.5}).find("jitter"), std::string::npos);
  EXPECT_NE(message(MalaOptions{.target_acceptance = std::nan("")}).find("target_acceptance"), std::string::npos);
  EXPECT_NO_THROW(validate(MalaOptions{}, 3));
}

TEST(ExactSampler, StepsAfterTheDeepestTree_AllocateNothing) {
  const GaussianDensity gaussian = correlated_gaussian();
  for (const SamplerOptions& options : every_exact_sampler()) {
    Density density = gaussian.density();
    const auto chain = make_dynamics(options, 3);
    chain->initialise(gaussian.draw(2), {1, 0});
    chain->plan_warmup(60);
    bool fine = true;
    for (std::uint64_t t = 0; t < 100; ++t) fine = fine && chain->step(density, t).ok();
    const std::uint64_t before = allocation_count();
    for (std::uint64_t t = 100; t < 150; ++t) fine = fine && chain->step(density, t).ok();
    EXPECT_EQ(allocation_count(), before) << sampler_name(options);
    EXPECT_TRUE(fine);
  }
}

}  // namespace
}  // namespace sgmcmc::testing
