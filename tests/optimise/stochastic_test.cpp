// SGD and Adam on noisy gradients: they reach the mode, averaging helps, and failures are reported.
#include "optimise/optimize.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/random.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace sgmcmc {
namespace {

/// A Gaussian centred at j for parameter j, with precisions from 1 to 100 and gradient noise of standard deviation 10.
class NoisyGaussian final : public GradientEstimator {
 public:
  explicit NoisyGaussian(std::size_t dimension, double noise = 10.0) : normal_(dimension), noise_(noise) {}
  std::size_t dimension() const override { return normal_.size(); }
  void estimate(std::span<const double> theta, std::uint64_t evaluation, std::span<double> gradient) override {
    last_evaluation = evaluation;
    fill_normal({3, 0, evaluation, Purpose::minibatch}, normal_);
    for (std::size_t j = 0; j < theta.size(); ++j)
      gradient[j] = -precision(j) * (theta[j] - static_cast<double>(j)) + noise_ * normal_[j];
    if (evaluation == broken_at) gradient[1] = std::nan("");
  }
  void estimate_with_variance(std::span<const double>, std::uint64_t, std::span<double>, std::span<double>) override {}

  static double precision(std::size_t j) { return j % 2 == 0 ? 1.0 : 100.0; }
  std::uint64_t last_evaluation = 0;
  std::uint64_t broken_at = std::numeric_limits<std::uint64_t>::max();

 private:
  std::vector<double> normal_;
  double noise_;
};

double worst_error(const std::vector<double>& theta) {
  double worst = 0.0;
  for (std::size_t j = 0; j < theta.size(); ++j) worst = std::max(worst, std::abs(theta[j] - static_cast<double>(j)));
  return worst;
}

// Averages over n steps of a quadratic have standard deviation 10 / (precision sqrt(n)): 0.1 for n = 10,000 and
// precision
// 1. Four such parameters exceed 0.45 with probability 3e-5.
TEST(Sgd, NoisyGaussian_AverageComesToTheMode) {
  NoisyGaussian estimator(8);
  std::vector<double> theta(8, 0.0);
  const OptimizeReport report = maximise_sgd(
      estimator, theta, {.step_size = 0.01, .schedule = Schedule::decay(1000.0, 0.3), .iterations = 20000}, 7);
  EXPECT_LT(worst_error(theta), 0.45);
  EXPECT_EQ(report.iterations, 20000u);
  EXPECT_EQ(report.evaluations, 20000u);
  EXPECT_EQ(report.reason, StopReason::iteration_limit);
  EXPECT_FALSE(report.converged());
  EXPECT_EQ(estimator.last_evaluation, 20006u);
}

TEST(Adam, NoisyGaussian_AverageComesToTheMode) {
  NoisyGaussian estimator(8);
  std::vector<double> theta(8, 0.0);
  (void)maximise_adam(estimator, theta,
                      {.step_size = 0.05, .schedule = Schedule::decay(1000.0, 0.5), .iterations = 20000});
  EXPECT_LT(worst_error(theta), 0.6);
}

TEST(Adam, FirstStep_IsTheStepSizeWhateverTheScaleOfTheGradient) {
  NoisyGaussian estimator(3, 0.0);
  std::vector<double> theta = {100.0, -1e6, 2.5};
  (void)maximise_adam(estimator, theta, {.step_size = 0.1, .schedule = {}, .iterations = 1, .averaged_share = 0.0});
  EXPECT_NEAR(theta[0], 99.9, 1e-9);
  EXPECT_NEAR(theta[1], -1e6 + 0.1, 1e-9);
  EXPECT_NEAR(theta[2], 2.4, 1e-7);
}

TEST(Sgd, Averaging_BeatsTheLastIterate) {
  std::vector<double> averaged(8, 0.0), last(8, 0.0);
  NoisyGaussian estimator(8);
  (void)maximise_sgd(estimator, averaged, {.step_size = 0.015, .iterations = 5000});
  (void)maximise_sgd(estimator, last, {.step_size = 0.015, .iterations = 5000, .averaged_share = 0.0});
  double averaged_sum = 0.0, last_sum = 0.0;
  for (std::size_t j = 0; j < 8; ++j) {
    averaged_sum += std::pow(averaged[j] - static_cast<double>(j), 2);
    last_sum += std::pow(last[j] - static_cast<double>(j), 2);
  }
  EXPECT_LT(averaged_sum, 0.5 * last_sum);
}

TEST(Sgd, NonFiniteGradient_StopsWithThetaAsItWas) {
  NoisyGaussian estimator(3);
  estimator.broken_at = 5;
  std::vector<double> theta(3, 0.0), five(3, 0.0);
  const OptimizeReport report = maximise_sgd(estimator, theta, {.step_size = 0.001, .iterations = 100});
  EXPECT_EQ(report.reason, StopReason::gradient_not_finite);
  EXPECT_EQ(report.iterations, 5u);
  (void)maximise_sgd(estimator, five, {.step_size = 0.001, .iterations = 5, .averaged_share = 0.0});
  EXPECT_EQ(theta, five);
}

TEST(StochasticOptimizers, OptionsOutOfRange_Throw) {
  NoisyGaussian estimator(3);
  std::vector<double> theta(3, 0.0), short_theta(2, 0.0);
  EXPECT_THROW(maximise_sgd(estimator, theta, {}), OptionError) << "no step size";
  EXPECT_THROW(maximise_sgd(estimator, short_theta, {.step_size = 0.1}), OptionError);
  EXPECT_THROW(maximise_sgd(estimator, theta, {.step_size = 0.1, .averaged_share = 1.5}), OptionError);
  EXPECT_THROW(maximise_adam(estimator, theta, {.mean_decay = 1.0}), OptionError);
  EXPECT_THROW(maximise_adam(estimator, theta, {.square_decay = -0.1}), OptionError);
  EXPECT_THROW(maximise_adam(estimator, theta, {.epsilon = 0.0}), OptionError);
}

}  // namespace
}  // namespace sgmcmc
