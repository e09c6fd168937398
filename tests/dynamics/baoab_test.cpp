// baoab: one step equals the splitting scheme, and on Gaussian targets the draws have the variance of the discretised
// chain. With exact gradients that is the variance of the target itself, for every step size and friction. Each
// comparison must reject planted errors.
#include "dynamics/chains.hpp"
#include "dynamics/gaussian_law.hpp"
#include "dynamics/targets.hpp"
#include "statistics/lyapunov.hpp"

#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include <cmath>
#include <cstdint>
#include <memory>
#include <ostream>
#include <vector>

namespace sgmcmc::testing {
namespace {

struct Setting {
  double step, friction, noise_variance;
  friend void PrintTo(const Setting& s, std::ostream* out) {
    *out << "step " << s.step << ", friction " << s.friction << ", gradient noise " << s.noise_variance;
  }
};

/// B A O A B as separate steps, with one gradient estimate for the closing and opening half kicks at the same position.
/// Linear forms in: position and velocity before the first kick, gradient noise, z.
double stationary_variance(const Setting& s, double a) {
  const double root = std::sqrt(s.step), c = std::exp(-s.friction);
  Eigen::Vector4d position = Eigen::Vector4d::Unit(0), velocity = Eigen::Vector4d::Unit(1);
  const Eigen::Vector4d gradient = -a * position + std::sqrt(s.noise_variance) * Eigen::Vector4d::Unit(2);
  velocity += 0.5 * root * gradient;  // ends the previous step
  velocity += 0.5 * root * gradient;  // begins this step
  position += 0.5 * root * velocity;
  velocity = c * velocity + std::sqrt(1.0 - c * c) * Eigen::Vector4d::Unit(3);
  position += 0.5 * root * velocity;
  Eigen::Matrix<double, 2, 4> forms;
  forms << position.transpose(), velocity.transpose();
  const Eigen::Matrix2d inputs = forms.rightCols<2>() * forms.rightCols<2>().transpose();
  return stationary_covariance(forms.leftCols<2>(), inputs)(0, 0);
}

TEST(Baoab, LawWithExactGradients_IsTheTargetForEveryStableStepAndFriction) {
  for (const double step : {1e-4, 0.3, 1.5, 3.9})
    for (const double friction : {0.01, 0.5, 3.0})
      for (const double a : {0.1, 1.0}) EXPECT_NEAR(stationary_variance({step, friction, 0.0}, a) * a, 1.0, 1e-7);
}

TEST(Baoab, LawWithMuchFriction_IsThatOfSglm) {
  const double step = 0.7, a = 1.3, noise = 2.0;
  EXPECT_NEAR(stationary_variance({step, 60.0, noise}, a), 1.0 / a + step * noise / (4.0 * a * (1.0 - step * a / 4.0)),
              1e-12);
}

TEST(Baoab, LawWithNoisyGradients_IsWidenedByTheNoiseGain) {
  const double step = 1e-4, noise = 5.0, friction = 0.3, c = std::exp(-friction);
  EXPECT_NEAR(
      (stationary_variance({step, friction, noise}, 1.0) - 1.0) / (step * noise * (1.0 + c) / (4.0 * (1.0 - c))), 1.0,
      1e-3);
}

TEST(Baoab, ThreeSteps_AreTheSplittingWithOneGradientAPosition) {
  constexpr std::size_t dimension = 700;  // more than one block of noise
  GaussianTarget target(std::vector<double>(dimension, 1.5), 0.8);
  const double epsilon = 0.04, friction = 0.3, root = std::sqrt(epsilon), c = std::exp(-friction);
  std::vector<double> theta(dimension), velocity(dimension), gradient(dimension), noise(dimension);
  for (std::size_t j = 0; j < dimension; ++j) theta[j] = 0.01 * static_cast<double>(j) - 3.0;
  const auto baoab = make_dynamics(BaoabOptions{.step_size = epsilon, .friction = friction}, dimension);
  baoab->initialise(theta, {11, 2});
  fill_normal({11, 2, 0, Purpose::momentum}, velocity);
  target.estimate(theta, 0, gradient);
  for (std::uint64_t t = 0; t < 3; ++t) {
    ASSERT_TRUE(baoab->step(target, t).ok());
    fill_normal({11, 2, t, Purpose::noise}, noise);
    for (std::size_t j = 0; j < dimension; ++j) {
      velocity[j] += 0.5 * root * gradient[j];
      theta[j] += 0.5 * root * velocity[j];
      velocity[j] = c * velocity[j] + std::sqrt(1.0 - c * c) * noise[j];
      theta[j] += 0.5 * root * velocity[j];
    }
    target.estimate(theta, t + 1, gradient);
    for (std::size_t j = 0; j < dimension; ++j) velocity[j] += 0.5 * root * gradient[j];
    for (std::size_t j = 0; j < dimension; ++j) ASSERT_NEAR(baoab->position()[j], theta[j], 1e-12);
  }
  EXPECT_EQ(baoab->evaluations_per_iteration(), 1u);
}

class BaoabLaw : public ::testing::TestWithParam<Setting> {};

TEST_P(BaoabLaw, ExactGradients_HaveTheVarianceOfTheTarget) {
  const Setting s = GetParam();
  const auto baoab = make_dynamics(BaoabOptions{.step_size = s.step, .friction = s.friction}, 3 * copies);
  EXPECT_LT(worst_z(*baoab, 0.0, 3000, [](double a) { return 1.0 / a; }), threshold);
}

TEST_P(BaoabLaw, NoisyGradients_HaveTheVarianceOfTheDiscretisedChain) {
  const Setting s = GetParam();
  const auto baoab = make_dynamics(BaoabOptions{.step_size = s.step, .friction = s.friction}, 3 * copies);
  EXPECT_LT(worst_z(*baoab, s.noise_variance, 3000, [&](double a) { return stationary_variance(s, a); }), threshold);
}

// Precisions go up to 2: the largest step is near the stability limit, step * precision < 4.
INSTANTIATE_TEST_SUITE_P(Steps, BaoabLaw,
                         ::testing::Values(Setting{0.3, 0.3, 1.0}, Setting{1.0, 0.5, 0.5}, Setting{1.7, 1.0, 1.0},
                                           Setting{0.3, 3.0, 4.0}));

TEST(Baoab, StepSizePerParameter_EachHasTheVarianceOfTheTarget) {
  std::vector<double> steps;
  for (std::size_t j = 0; j < 3 * copies; ++j) steps.push_back(0.9 / precisions[j % 3]);
  const auto baoab = make_dynamics(BaoabOptions{.step_size = steps, .friction = 0.5}, 3 * copies);
  EXPECT_LT(worst_z(*baoab, 0.0, 3000, [](double a) { return 1.0 / a; }), threshold);
}

TEST(Baoab, Mutants_AreRejectedByTheVarianceTest) {
  const Setting s{1.0, 0.5, 0.0};
  // Factors on half kicks, half drifts and noise; optionally a drift that is not split around the noise.
  const auto by_hand = [&](double kick, double drift, double noise_scale, bool split = true) {
    auto velocity = std::make_shared<std::vector<double>>(3 * copies);
    return HandWritten(3 * copies,
                       [=](std::vector<double>& theta, GradientEstimator& estimator, std::uint64_t iteration) {
                         std::vector<double> gradient(theta.size()), noise(theta.size());
                         const double root = std::sqrt(s.step), c = std::exp(-s.friction);
                         estimator.estimate(theta, iteration, gradient);
                         fill_normal({1, 0, iteration, Purpose::noise}, noise);
                         for (std::size_t j = 0; j < theta.size(); ++j) {
                           double& v = (*velocity)[j];
                           v += 2.0 * kick * root * gradient[j];  // closing and opening half kicks
                           theta[j] += (split ? 1.0 : 2.0) * drift * root * v;
                           v = c * v + noise_scale * std::sqrt(1.0 - c * c) * noise[j];
                           if (split) theta[j] += drift * root * v;
                         }
                       });
  };
  const auto z = [&](HandWritten mutant) { return worst_z(mutant, 0.0, 3000, [](double a) { return 1.0 / a; }); };
  EXPECT_LT(z(by_hand(0.5, 0.5, 1.0)), threshold) << "no mistake, no rejection";
  EXPECT_GT(z(by_hand(0.25, 0.5, 1.0)), 3 * threshold) << "a half kick left out";
  EXPECT_GT(z(by_hand(0.75, 0.5, 1.0)), 3 * threshold) << "one kick whole instead of half";
  EXPECT_GT(z(by_hand(0.5, 0.5, std::sqrt(2.0))), 3 * threshold) << "noise of the other convention";
  EXPECT_GT(z(by_hand(0.5, 0.5, 1.02)), threshold) << "noise 2 % too large";
  EXPECT_GT(z(by_hand(0.5, 0.5, 1.0, false)), 3 * threshold) << "B A O B: the drift not split around the noise";
}

TEST(Baoab, FrictionThatCannotBe_IsRefused) {
  for (const double friction : {0.0, -0.1, std::nan(""), HUGE_VAL})
    EXPECT_THROW((BaoabOptions{.step_size = 0.1, .friction = friction}.validate(1)), OptionError);
}

}  // namespace
}  // namespace sgmcmc::testing
