// Exact samplers leave the target as it is: draws of it, moved by some iterations, are draws of it still.
//
// Replicates start from independent draws of the target, so that z-scores need no effective sample sizes. Step sizes
// are large, where energy errors are: a sampler that forgets to correct for them fails.
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

// A correct program fails each test of this file with this probability.
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

Verdict law_of(const GaussianDensity& gaussian, const Make& make, std::size_t count = replicates) {
  Density density = gaussian.density();
  const std::size_t dimension = gaussian.dimension();
  std::vector<std::vector<double>> ends;
  for (std::size_t r = 0; r < count; ++r) {
    const auto chain = make();
    chain->initialise(gaussian.draw(r), {2, static_cast<std::uint32_t>(r)});
    for (std::uint64_t t = 0; t < iterations; ++t) EXPECT_TRUE(chain->step(density, t).ok());
    ends.emplace_back(chain->position().begin(), chain->position().end());
  }
  Verdict verdict;
  const auto compare = [&](const std::function<double(const std::vector<double>&)>& of, double expected) {
    std::vector<double> values;
    for (const auto& end : ends) values.push_back(of(end));
    verdict.worst = std::max(verdict.worst, std::abs(mean_of_replicates(values).z_score(expected)));
    ++verdict.comparisons;
  };
  for (std::size_t a = 0; a < dimension; ++a) {
    compare([&](const auto& x) { return x[a]; }, 0.0);
    for (std::size_t b = 0; b <= a; ++b)
      compare([&](const auto& x) { return x[a] * x[b]; },
              gaussian.covariance(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b)));
  }
  return verdict;
}

/// The metric of the tests: not the identity, and not that of the target.
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
  const GaussianDensity gaussian = correlated_gaussian();
  const SamplerOptions samplers[] = {NutsOptions{.step_size = 0.9},
                                     NutsOptions{.step_size = 0.9, .metric = Metric::dense},
                                     NutsOptions{.step_size = 0.2, .max_tree_depth = 2},
                                     HmcOptions{.step_size = 0.9},
                                     HmcOptions{.step_size = 0.7, .leapfrog_steps = 3, .jitter = 0.0},
                                     MalaOptions{.step_size = 0.8}};
  for (const auto& options : samplers) {
    const Verdict verdict = law_of(gaussian, with_metric(options));
    EXPECT_FALSE(verdict.rejects()) << sampler_name(options) << ": |z| " << verdict.worst;
  }
}

TEST(ExactLaw, WithPlantedMistakes_IsRejected) {
  const GaussianDensity gaussian = correlated_gaussian();
  const Eigen::MatrixXd inverse = Eigen::Vector3d(inverse_metric.data()).asDiagonal();
  const auto naive = [&](Mistake mistake) {
    return law_of(
        gaussian, [&, mistake] { return std::make_unique<NaiveNuts>(inverse, 0.9, 10, mistake); },
        replicates_of_mistakes);
  };
  EXPECT_FALSE(naive(Mistake::none).rejects());
  for (const Mistake mistake :
       {Mistake::uniform_weights, Mistake::metric_forgotten_in_momentum, Mistake::always_last}) {
    const Verdict verdict = naive(mistake);
    EXPECT_TRUE(verdict.rejects()) << static_cast<int>(mistake) << ": |z| " << verdict.worst;
  }
}

/// Leapfrog steps without a Metropolis decision.
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
      correlated_gaussian(), [] { return std::make_unique<Unadjusted>(); }, replicates_of_mistakes);
  EXPECT_TRUE(verdict.rejects()) << verdict.worst;
}

TEST(ExactLaw, AfterAdaptation_IsTheTarget) {
  // One long chain of each, from a far start: moments by effective sample size. x ~ N(0, 1), y ~ N(x^2 - 1, 0.5^2).
  const double expected[] = {0.0, 0.0, 1.0, 2.25};  // of x, y, x^2, y^2
  for (const char* name : {"nuts", "hmc", "mala"}) {
    Density density = bent_density();
    const auto chain = make_dynamics(sampler_options(name), 2);
    chain->initialise(std::vector<double>{4.0, -3.0}, {1, 0});
    chain->plan_warmup(1000);
    const std::uint64_t draws = std::string_view(name) == "mala" ? 40'000 : 8'000;
    std::vector<double> kept[4];
    for (std::uint64_t t = 0; t < 1000 + draws; ++t) {
      ASSERT_TRUE(chain->step(density, t).ok());
      if (t < 1000) continue;
      const double x = chain->position()[0], y = chain->position()[1];
      kept[0].push_back(x);
      kept[1].push_back(y);
      kept[2].push_back(x * x);
      kept[3].push_back(y * y);
    }
    for (int k = 0; k < 4; ++k)
      EXPECT_LT(std::abs(mean_of_chain(kept[k]).z_score(expected[k])), z_threshold(false_alarm_rate, 12))
          << name << ", quantity " << k;
  }
}

}  // namespace
}  // namespace sgmcmc::testing
