// Exact samplers leave the target invariant: draws from the target still follow it after some iterations.
//
// Replicates start from independent draws of the target, so that z-scores need no effective sample sizes. Step sizes
// are large, so that energy errors are large: a sampler that does not correct for them fails.
#include "dynamics/densities.hpp"
#include "dynamics/hamiltonian.hpp"
#include "dynamics/naive_nuts.hpp"
#include "statistics/effective_sample_size.hpp"
#include "statistics/significance.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace sgmcmc::testing {
namespace {

// False-alarm rate of each test in this file.
constexpr double false_alarm_rate = 1e-5;
constexpr std::size_t replicates = 12'000, replicates_of_mistakes = 4'000;
constexpr std::uint64_t iterations = 3;

using Make = std::function<std::unique_ptr<Dynamics>()>;

/// The largest |z| among means and second moments of replicates, and the number of comparisons.
struct Verdict {
  double worst = 0.0;
  std::size_t comparisons = 0;
  bool rejects() const { return worst > z_threshold(false_alarm_rate, comparisons); }
};

using Value = std::function<double(std::span<const double>)>;

/// A density, independent draws from it, and expectations under it.
struct Target {
  Density density;
  std::function<std::vector<double>(std::uint64_t)> draw;
  std::vector<std::pair<Value, double>> expectations;
};

Target gaussian_target() {
  const GaussianDensity gaussian = correlated_gaussian();
  Target target{gaussian.density(), [gaussian](std::uint64_t number) { return gaussian.draw(number); }, {}};
  for (std::size_t a = 0; a < 3; ++a) {
    target.expectations.emplace_back([a](auto x) { return x[a]; }, 0.0);
    for (std::size_t b = 0; b <= a; ++b)
      target.expectations.emplace_back([a, b](auto x) { return x[a] * x[b]; },
                                       gaussian.covariance(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b)));
  }
  return target;
}

/// x ~ N(0, 1), y given x ~ N(x^2 - 1, 0.5^2).
Target bent_target() {
  constexpr double probability_below_the_bend = 0.2136835532702947;  // by quadrature: of y < -1
  Target target{bent_density(),
                [](std::uint64_t number) {
                  std::vector<double> z(2);
                  fill_normal({32, 0, number, Purpose::data}, z);
                  return std::vector<double>{z[0], z[0] * z[0] - 1.0 + 0.5 * z[1]};
                },
                {}};
  target.expectations = {{[](auto v) { return v[0]; }, 0.0},
                         {[](auto v) { return v[1]; }, 0.0},
                         {[](auto v) { return v[0] * v[0]; }, 1.0},
                         {[](auto v) { return v[0] * v[0] * v[1]; }, 2.0},
                         {[](auto v) { return v[1] * v[1]; }, 2.25},
                         {[](auto v) { return v[1] < -1.0 ? 1.0 : 0.0; }, probability_below_the_bend}};
  return target;
}

Verdict law_of(Target target, const Make& make, std::size_t count = replicates) {
  std::vector<std::vector<double>> values(target.expectations.size());
  for (std::size_t r = 0; r < count; ++r) {
    const auto chain = make();
    chain->initialise(target.draw(r), {2, static_cast<std::uint32_t>(r)});
    for (std::uint64_t t = 0; t < iterations; ++t) EXPECT_TRUE(chain->step(target.density, t).ok());
    for (std::size_t k = 0; k < values.size(); ++k)
      values[k].push_back(target.expectations[k].first(chain->position()));
  }
  Verdict verdict;
  verdict.comparisons = values.size();
  for (std::size_t k = 0; k < values.size(); ++k)
    verdict.worst =
        std::max(verdict.worst, std::abs(mean_of_replicates(values[k]).z_score(target.expectations[k].second)));
  return verdict;
}

/// The metric of the tests: neither the identity nor that of the target.
const std::vector<double> inverse_metric = {0.6, 2.5, 0.4};

Make with_metric(const SamplerOptions& options) {
  return [options] {
    auto made = make_dynamics(options, 3);
    auto* chain = dynamic_cast<HamiltonianDynamics*>(made.get());
    const bool dense = chain->mass_matrix().inverse().size() == 9;
    if (dense) {
      const Eigen::Matrix3d inverse =
          Eigen::Vector3d(inverse_metric.data()).asDiagonal().toDenseMatrix() + Eigen::Matrix3d::Constant(0.2);
      chain->mass_matrix().set_inverse({inverse.data(), 9});
    } else {
      chain->mass_matrix().set_inverse(inverse_metric);
    }
    return made;
  };
}

TEST(ExactLaw, OfEverySampler_IsTheTarget) {
  const SamplerOptions samplers[] = {NutsOptions{.step_size = 0.9},
                                     NutsOptions{.step_size = 0.9, .metric = Metric::dense},
                                     NutsOptions{.step_size = 0.2, .max_tree_depth = 2},
                                     HmcOptions{.step_size = 0.9},
                                     HmcOptions{.step_size = 0.7, .leapfrog_steps = 3, .jitter = 0.0},
                                     MalaOptions{.step_size = 0.8}};
  for (const auto& options : samplers) {
    const Verdict verdict = law_of(gaussian_target(), with_metric(options));
    EXPECT_FALSE(verdict.rejects()) << sampler_name(options) << ": |z| " << verdict.worst;
  }
}

TEST(ExactLaw, OfACurvedTarget_IsTheTarget) {
  const SamplerOptions samplers[] = {NutsOptions{.step_size = 0.4}, HmcOptions{.step_size = 0.3},
                                     MalaOptions{.step_size = 0.4}};
  for (const auto& options : samplers) {
    const Verdict verdict = law_of(bent_target(), [&] { return make_dynamics(options, 2); });
    EXPECT_FALSE(verdict.rejects()) << sampler_name(options) << ": |z| " << verdict.worst;
  }
  const Verdict mistaken = law_of(
      bent_target(),
      [] { return std::make_unique<NaiveNuts>(Eigen::Matrix2d::Identity(), 0.4, 10, Mistake::uniform_weights); },
      replicates_of_mistakes);
  EXPECT_TRUE(mistaken.rejects()) << mistaken.worst;
}

TEST(ExactLaw, WithPlantedMistakes_IsRejected) {
  const Eigen::MatrixXd inverse = Eigen::Vector3d(inverse_metric.data()).asDiagonal();
  const auto naive = [&](Mistake mistake) {
    return law_of(
        gaussian_target(), [&, mistake] { return std::make_unique<NaiveNuts>(inverse, 0.9, 10, mistake); },
        replicates_of_mistakes);
  };
  EXPECT_FALSE(naive(Mistake::none).rejects());
  for (const Mistake mistake :
       {Mistake::uniform_weights, Mistake::metric_forgotten_in_momentum, Mistake::always_last}) {
    const Verdict verdict = naive(mistake);
    EXPECT_TRUE(verdict.rejects()) << static_cast<int>(mistake) << ": |z| " << verdict.worst;
  }
}

/// Leapfrog steps without Metropolis correction.
class Unadjusted final : public Dynamics {
 public:
  Unadjusted() : Dynamics(3), hmc_(make_dynamics(HmcOptions{.metric = Metric::unit}, 3)) {}
  std::uint64_t evaluations_per_iteration() const override { return 0; }
  double last_step_size() const override { return 0.6; }
  StepStatus step(GradientEstimator& density, std::uint64_t iteration) override {
    PhasePoint point(3);
    point.theta = position_;
    point.log_density = density.log_density(point.theta, point.gradient);
    fill_normal(stream(iteration, Purpose::momentum), point.momentum);
    auto& leapfrogs = dynamic_cast<HamiltonianDynamics&>(*hmc_);
    for (int k = 0; k < 2; ++k) leapfrogs.leapfrog(density, point, last_step_size());
    position_ = point.theta;
    return {};
  }

 private:
  std::unique_ptr<Dynamics> hmc_;
};

TEST(ExactLaw, WithoutMetropolis_IsRejected) {
  const Verdict verdict = law_of(
      gaussian_target(), [] { return std::make_unique<Unadjusted>(); }, replicates_of_mistakes);
  EXPECT_TRUE(verdict.rejects()) << verdict.worst;
}

TEST(ExactLaw, AfterAdaptation_IsTheTarget) {
  // One long chain per sampler, started far away; the errors of its moments use the effective sample size.
  const Target target = gaussian_target();
  for (const char* name : {"nuts", "hmc", "mala"}) {
    Density density = target.density;
    const auto chain = make_dynamics(sampler_options(name), 3);
    chain->initialise(std::vector<double>{20.0, -30.0, 10.0}, {1, 0});
    chain->plan_warmup(1000);
    const std::uint64_t draws = std::string_view(name) == "mala" ? 20'000 : 4'000;
    std::vector<std::vector<double>> kept(target.expectations.size());
    for (std::uint64_t t = 0; t < 1000 + draws; ++t) {
      ASSERT_TRUE(chain->step(density, t).ok());
      if (t < 1000) continue;
      for (std::size_t k = 0; k < kept.size(); ++k) kept[k].push_back(target.expectations[k].first(chain->position()));
    }
    for (std::size_t k = 0; k < kept.size(); ++k)
      EXPECT_LT(std::abs(mean_of_chain(kept[k]).z_score(target.expectations[k].second)),
                z_threshold(false_alarm_rate, 3 * kept.size()))
          << name << ", quantity " << k;
  }
}

}  // namespace
}  // namespace sgmcmc::testing
