// sgnht on Gaussian targets: the thermostat's identity, the friction at which it settles, and the resulting variance.
#include "dynamics/gaussian_law.hpp"
#include "statistics/lyapunov.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include <cmath>
#include <memory>
#include <numeric>

namespace sgmcmc::testing {
namespace {

constexpr double step_size = 0.1;
constexpr double diffusion = 0.1;
constexpr double noise_variance = 3.0;

/// Covariance of (theta, velocity) after a step at a fixed friction: with hundreds of parameters D, the friction of the
/// thermostat hardly fluctuates, with variance step_size / D.
Eigen::MatrixXd covariance_at(double friction, double a) {
  const double root = std::sqrt(step_size);
  Eigen::MatrixXd A(2, 2), Q = Eigen::MatrixXd::Zero(2, 2);
  A << 1.0, root, -root * a, 1.0 - friction - step_size * a;
  Q(1, 1) = 2.0 * diffusion + step_size * noise_variance;
  return stationary_covariance(A, Q);
}

/// The friction at which velocities have variance 1 on average over the three precisions.
double settled_friction() {
  double low = 0.01, high = 0.9;
  for (int k = 0; k < 60; ++k) {
    const double middle = 0.5 * (low + high);
    double temperature = 0.0;
    for (const double a : precisions) temperature += covariance_at(middle, a)(1, 1) / 3.0;
    (temperature > 1.0 ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

double settled_variance(double a) { return covariance_at(settled_friction(), a)(0, 0); }

std::unique_ptr<Dynamics> thermostat() {
  return make_dynamics(SgnhtOptions{.step_size = step_size, .diffusion = diffusion}, 3 * copies);
}

TEST(Sgnht, Gaussian_VarianceOfTheDiscretisedChain) {
  const auto sgnht = thermostat();
  EXPECT_LT(worst_z(*sgnht, noise_variance, 4000, settled_variance), threshold);
}

TEST(Sgnht, FrictionChange_IsTheExcessKineticEnergyExactly) {
  const auto sgnht = thermostat();
  GaussianTarget target(precision_of_each(), noise_variance);
  sgnht->initialise(std::vector<double>(3 * copies, 0.0), {3, 0});
  double expected = diffusion;
  for (std::uint64_t t = 0; t < 50; ++t) {
    ASSERT_TRUE(sgnht->step(target, t).ok());
    StateReader state;
    sgnht->visit_state(state);
    double mean_square = 0.0;
    for (const double v : state.vector("velocity")) mean_square += v * v / (3.0 * copies);
    expected += step_size * (mean_square - 1.0);
    ASSERT_NEAR(state.number("friction"), expected, 1e-12);
  }
}

TEST(Sgnht, GradientNoiseOfUnknownSize_RaisesTheFrictionAndIsAbsorbed) {
  const auto sgnht = thermostat();
  GaussianTarget target(precision_of_each(), noise_variance);
  sgnht->initialise(std::vector<double>(3 * copies, 0.0), {4, 0});
  double friction = 0.0;
  constexpr std::uint64_t burn_in = 500, iterations = 2000;
  for (std::uint64_t t = 0; t < burn_in + iterations; ++t) {
    ASSERT_TRUE(sgnht->step(target, t).ok());
    StateReader state;
    sgnht->visit_state(state);
    if (t >= burn_in) friction += state.number("friction") / iterations;
  }
  // The fluctuations have standard deviation sqrt(step_size / D) = 0.013 and decorrelate within tens of steps: 0.01 is
  // more than six standard errors.
  EXPECT_NEAR(friction, settled_friction(), 0.01);
  EXPECT_GT(friction, diffusion + 0.1);
}

TEST(Sgnht, Law_VarianceIsThatOfTheTargetTimesOneMinusHalfTheFriction) {
  const double friction = settled_friction();
  for (const double a : precisions) {
    const Eigen::MatrixXd covariance = covariance_at(friction, a);
    EXPECT_NEAR(covariance(0, 0), (1.0 - friction / 2.0) / a * covariance(1, 1), 1e-9);
  }
}

TEST(Sgnht, StepSizePerParameter_IsTheSameChainInRescaledParameters) {
  // Step sizes 0.025 and 0.1, on a Gaussian whose standard deviations are proportional to their square roots.
  const std::size_t dimension = 100;
  std::vector<double> steps, precision;
  for (std::size_t j = 0; j < dimension; ++j) {
    const double factor = j % 3 == 0 ? 2.0 : 0.5;
    steps.push_back(0.05 * factor);
    precision.push_back(1.0 / factor);
  }
  const double mean = std::accumulate(steps.begin(), steps.end(), 0.0) / static_cast<double>(dimension);
  GaussianTarget scaled(precision, 0.0), common(std::vector<double>(dimension, 0.05 / mean), 0.0);
  const auto first = make_dynamics(SgnhtOptions{.step_size = steps}, dimension);
  const auto second = make_dynamics(SgnhtOptions{.step_size = mean}, dimension);
  first->initialise(std::vector<double>(dimension, 0.0), {5, 1});
  second->initialise(std::vector<double>(dimension, 0.0), {5, 1});
  for (std::uint64_t t = 0; t < 200; ++t) {
    ASSERT_TRUE(first->step(scaled, t).ok());
    ASSERT_TRUE(second->step(common, t).ok());
  }
  for (std::size_t j = 0; j < dimension; ++j)
    EXPECT_NEAR(first->position()[j] / std::sqrt(steps[j]), second->position()[j] / std::sqrt(mean), 1e-9);
}

/// A hand-written sampler; the thermostat compares energy(velocity) with 1.
template <class Energy>
HandWritten thermostat_by_hand(Energy energy, double noise_scale) {
  struct State {
    std::vector<double> velocity = std::vector<double>(3 * copies, 0.0);
    double friction = diffusion;
  };
  auto state = std::make_shared<State>();
  return HandWritten(
      3 * copies, [=](std::vector<double>& theta, GradientEstimator& estimator, std::uint64_t iteration) {
        std::vector<double> gradient(theta.size()), noise(theta.size());
        const double root = std::sqrt(step_size);
        for (std::size_t j = 0; j < theta.size(); ++j) theta[j] += root * state->velocity[j];
        estimator.estimate(theta, iteration, gradient);
        fill_normal({1, 0, iteration, Purpose::noise}, noise);
        for (std::size_t j = 0; j < theta.size(); ++j) {
          double& v = state->velocity[j];
          v = (1.0 - state->friction) * v + root * gradient[j] + noise_scale * std::sqrt(2.0 * diffusion) * noise[j];
        }
        state->friction += step_size * (energy(state->velocity) - 1.0);
      });
}

TEST(Sgnht, Mutants_AreRejectedByTheVarianceTest) {
  const auto squared_norm = [](const std::vector<double>& v) {
    return std::inner_product(v.begin(), v.end(), v.begin(), 0.0) / static_cast<double>(v.size());
  };
  // Mutant: the norm instead of its square, with the factor 1 / D of that form; nu = sqrt(step_size) velocity.
  const auto norm = [&](const std::vector<double>& v) {
    const double d = static_cast<double>(v.size());
    return std::sqrt(step_size * d * squared_norm(v)) / d / step_size;
  };
  auto right = thermostat_by_hand(squared_norm, 1.0);
  EXPECT_LT(worst_z(right, noise_variance, 4000, settled_variance), threshold) << "no mistake, no rejection";
  auto with_norm = thermostat_by_hand(norm, 1.0);
  EXPECT_GT(worst_z(with_norm, noise_variance, 4000, settled_variance), 3 * threshold);
  auto quiet = thermostat_by_hand(squared_norm, std::sqrt(0.5));
  EXPECT_GT(worst_z(quiet, noise_variance, 4000, settled_variance), threshold) << "noise of half the variance";
}

}  // namespace
}  // namespace sgmcmc::testing
