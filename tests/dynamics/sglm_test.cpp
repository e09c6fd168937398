// sglm: on Gaussians its stationary variance is known in closed form, and without gradient noise it is exact for every
// step; on other targets its error is of second order. The comparisons must reject planted errors.
#include "dynamics/chains.hpp"
#include "dynamics/gaussian_law.hpp"
#include "dynamics/targets.hpp"
#include "statistics/lyapunov.hpp"
#include "statistics/significance.hpp"

#include <gtest/gtest.h>

#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>

#include <cmath>
#include <memory>
#include <vector>

namespace sgmcmc::testing {
namespace {

/// Stationary variance from the recursion: the state is (theta, the noise shared with the next step).
double law(double step, double a, double noise_variance) {
  Eigen::Matrix2d A;
  A << 1.0 - 0.5 * step * a, 0.5 * std::sqrt(step), 0.0, 0.0;
  Eigen::Matrix2d Q;  // of the fresh noise, half of which enters this step; the next step reuses it
  Q << 0.25 * step + 0.25 * step * step * noise_variance, 0.5 * std::sqrt(step), 0.5 * std::sqrt(step), 1.0;
  return stationary_covariance(A, Q)(0, 0);
}

TEST(Sglm, LawOnGaussians_IsTheTargetsForEveryStep) {
  for (const double a : {0.3, 1.0, 2.0})
    for (const double share : {0.01, 0.5, 1.0, 2.0, 3.9}) {
      const double step = share / a;
      EXPECT_NEAR(law(step, a, 0.0), 1.0 / a, 1e-10 / a) << share;
      EXPECT_NEAR(law(step, a, 2.0), 1.0 / a + step * 2.0 / (4.0 * a * (1.0 - step * a / 4.0)), 1e-9) << share;
    }
}

TEST(Sglm, Gaussian_VarianceIsExactHoweverLargeTheStep) {
  for (const double step : {0.5, 1.5}) {
    const auto sglm = make_dynamics(SglmOptions{.step_size = step}, 3 * copies);
    EXPECT_LT(worst_z(*sglm, 0.0, 3000, [](double a) { return 1.0 / a; }), threshold) << step;
  }
}

TEST(Sglm, GaussianWithGradientNoise_VarianceOfTheDiscretisedChain) {
  const auto sglm = make_dynamics(SglmOptions{.step_size = 0.6}, 3 * copies);
  EXPECT_LT(worst_z(*sglm, 2.0, 3000, [](double a) { return law(0.6, a, 2.0); }), threshold);
}

/// Noise with weights on the fresh and the carried draw, and a factor on the gradient.
std::unique_ptr<Dynamics> by_hand(double step, double fresh, double carried, double gradient_factor = 0.5) {
  return std::make_unique<HandWritten>(
      3 * copies, [=](std::vector<double>& theta, GradientEstimator& estimator, std::uint64_t iteration) {
        std::vector<double> gradient(theta.size()), now(theta.size()), next(theta.size());
        estimator.estimate(theta, iteration, gradient);
        fill_normal({1, 0, iteration, Purpose::noise}, now);
        fill_normal({1, 0, iteration + 1, Purpose::noise}, next);
        for (std::size_t j = 0; j < theta.size(); ++j)
          theta[j] += gradient_factor * step * gradient[j] + std::sqrt(step) * (carried * now[j] + fresh * next[j]);
      });
}

TEST(Sglm, Mutants_AreRejectedByTheVarianceTest) {
  const auto exact = [](double a) { return 1.0 / a; };
  EXPECT_LT(worst_z(*by_hand(0.6, 0.5, 0.5), 0.0, 2000, exact), threshold) << "no mistake, no rejection";
  EXPECT_GT(worst_z(*by_hand(0.6, 1.0, 0.0), 0.0, 2000, exact), 3 * threshold) << "sgld";
  EXPECT_GT(worst_z(*by_hand(0.6, std::sqrt(0.5), std::sqrt(0.5)), 0.0, 2000, exact), 3 * threshold)
      << "noise of the variance of sgld's";
  EXPECT_GT(worst_z(*by_hand(0.6, 0.5, 0.5, 1.0), 0.0, 2000, exact), 3 * threshold) << "epsilon for epsilon / 2";
}

TEST(Sglm, OneStep_IsTheFormula) {
  const std::size_t dimension = 600;
  GaussianTarget target(std::vector<double>(dimension, 1.5), 0.0);
  const auto sglm = make_dynamics(SglmOptions{.step_size = 0.16}, dimension);
  std::vector<double> theta(dimension), now(dimension), next(dimension), after(dimension);
  fill_normal({3, 0, 0, Purpose::data}, theta);
  fill_normal({11, 2, 9, Purpose::noise}, now);
  fill_normal({11, 2, 10, Purpose::noise}, next);
  fill_normal({11, 2, 11, Purpose::noise}, after);
  sglm->initialise(theta, {11, 2});
  for (const auto* pair : {&now, &next}) {
    const std::vector<double> before(sglm->position().begin(), sglm->position().end());
    const bool first = pair == &now;
    ASSERT_TRUE(sglm->step(target, first ? 9 : 10).ok());
    for (std::size_t j = 0; j < dimension; ++j)
      EXPECT_NEAR(sglm->position()[j],
                  before[j] - 0.08 * 1.5 * before[j] + 0.2 * ((first ? now : next)[j] + (first ? next : after)[j]),
                  1e-14);
  }
}

/// The error of the variance of log Gamma(3), a skewed target, with exact gradients.
double error_of(Dynamics& dynamics, std::size_t replicas, std::uint64_t iterations, double& standard_error) {
  ScalarTarget<LogGamma> target(replicas, 0.0, LogGamma{3.0, true});
  const double centre = boost::math::digamma(3.0);
  const auto squares = time_averages(dynamics, target, replicas, 200, iterations, [&](auto theta, auto sums) {
    for (std::size_t j = 0; j < replicas; ++j) sums[j] += (theta[j] - centre) * (theta[j] - centre);
  });
  const Estimate found = mean_of_replicates(squares);
  standard_error = found.standard_error;
  return found.value - boost::math::trigamma(3.0);
}

// The error at a step minus four times that at half the step is only noise and third-order terms. For sgld, whose error
// is of first order, it is not. False-alarm rate 1e-4.
TEST(Sglm, SkewedTarget_ErrorIsOfSecondOrder) {
  constexpr std::size_t replicas = 400;
  const auto contrast = [&](auto make) {
    double coarse_error = 0, fine_error = 0;
    const double coarse = error_of(*make(0.3), replicas, 4000, coarse_error);
    const double fine = error_of(*make(0.15), replicas, 8000, fine_error);
    return std::pair(coarse - 4.0 * fine, std::hypot(coarse_error, 4.0 * fine_error));
  };
  const double limit = z_threshold(1e-4, 1);
  const auto [sglm, sglm_error] =
      contrast([](double step) { return make_dynamics(SglmOptions{.step_size = step}, replicas); });
  EXPECT_LT(std::abs(sglm), limit * sglm_error + 0.002);
  const auto [sgld, sgld_error] =
      contrast([](double step) { return make_dynamics(SgldOptions{.step_size = step}, replicas); });
  EXPECT_GT(std::abs(sgld), limit * sgld_error + 0.002);
}

}  // namespace
}  // namespace sgmcmc::testing
