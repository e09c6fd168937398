// Friction and diffusion per coordinate: equal values change nothing, different values leave each marginal distribution
// correct.
#include "dynamics/chains.hpp"
#include "dynamics/gaussian_law.hpp"
#include "statistics/lyapunov.hpp"

#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include <array>
#include <cmath>
#include <vector>

namespace sgmcmc::testing {
namespace {

constexpr std::array<double, 3> each_of_three = {0.02, 0.3, 0.1};

std::vector<double> repeated(const std::array<double, 3>& numbers) {
  std::vector<double> all;
  for (std::size_t j = 0; j < 3 * copies; ++j) all.push_back(numbers[j % 3]);
  return all;
}

std::vector<double> position_after(const SamplerOptions& options, int steps) {
  const auto dynamics = make_dynamics(options, 3 * copies);
  GaussianTarget target(precision_of_each(), 1.0);
  dynamics->initialise(std::vector<double>(3 * copies, 0.5), {3, 0});
  for (int t = 0; t < steps; ++t) EXPECT_TRUE(dynamics->step(target, static_cast<std::uint64_t>(t)).ok());
  return {dynamics->position().begin(), dynamics->position().end()};
}

TEST(EachFriction, EqualNumbers_GiveTheSameChain) {
  const std::vector<double> same(3 * copies, 0.1);
  EXPECT_EQ(position_after(SghmcOptions{.step_size = 0.1, .friction = 0.1}, 20),
            position_after(SghmcOptions{.step_size = 0.1, .friction_each = same}, 20));
  const auto one = position_after(SgnhtOptions{.step_size = 0.1, .diffusion = 0.1}, 20),
             each = position_after(SgnhtOptions{.step_size = 0.1, .diffusion_each = same}, 20);
  for (std::size_t j = 0; j < one.size(); ++j) EXPECT_NEAR(one[j], each[j], 1e-12);
}

TEST(EachFriction, DifferentFrictionsOfSghmc_LeaveTheVarianceAsItIs) {
  constexpr double step = 0.4;
  const auto sghmc =
      make_dynamics(SghmcOptions{.step_size = step, .friction_each = repeated(each_of_three)}, 3 * copies);
  EXPECT_LT(worst_z(*sghmc, 0.0, 3000, [](double a) { return 1.0 / (a * (1.0 - step * a / 4.0)); }), threshold);
}

/// Covariance of (theta, velocity) of one coordinate, for a fixed friction.
Eigen::MatrixXd covariance_with(double friction, double diffusion, double a) {
  constexpr double step = 0.1;
  Eigen::MatrixXd A(2, 2), Q = Eigen::MatrixXd::Zero(2, 2);
  A << 1.0, std::sqrt(step), -std::sqrt(step) * a, 1.0 - friction - step * a;
  Q(1, 1) = 2.0 * diffusion;
  return stationary_covariance(A, Q);
}

TEST(EachFriction, DifferentDiffusionsOfSgnht_AreTakenBackFromEachCoordinate) {
  const double mean = (each_of_three[0] + each_of_three[1] + each_of_three[2]) / 3;
  double low = mean - 0.015, high = 0.5;  // the friction at which velocities have variance 1 on average
  for (int k = 0; k < 60; ++k) {
    const double middle = 0.5 * (low + high);
    double temperature = 0;
    for (std::size_t j = 0; j < 3; ++j)
      temperature += covariance_with(middle + each_of_three[j] - mean, each_of_three[j], precisions[j])(1, 1) / 3;
    (temperature > 1.0 ? low : high) = middle;
  }
  const auto variance_of = [&](double a) {
    const auto j = static_cast<std::size_t>(std::find(std::begin(precisions), std::end(precisions), a) - precisions);
    return covariance_with(low + each_of_three[j] - mean, each_of_three[j], a)(0, 0);
  };
  const auto sgnht =
      make_dynamics(SgnhtOptions{.step_size = 0.1, .diffusion_each = repeated(each_of_three)}, 3 * copies);
  EXPECT_LT(worst_z(*sgnht, 0.0, 4000, variance_of), threshold);
  // With the same friction for all, coordinates whose noise exceeds their friction would be too wide.
  const auto mistaken = [&](double a) {
    const auto j = static_cast<std::size_t>(std::find(std::begin(precisions), std::end(precisions), a) - precisions);
    return covariance_with(low, each_of_three[j], a)(0, 0);
  };
  EXPECT_GT(worst_z(*sgnht, 0.0, 4000, mistaken), 3 * threshold);
}

TEST(EachFriction, WrongNumbers_AreRefused) {
  EXPECT_THROW(SghmcOptions({.step_size = 0.1, .friction_each = {0.1, 0.2}}).validate(3), OptionError);
  EXPECT_THROW(SghmcOptions({.step_size = 0.1, .friction_each = {0.1, -0.2}}).validate(2), OptionError);
  EXPECT_THROW(SgnhtOptions({.step_size = 0.1, .diffusion_each = {0.1}}).validate(2), OptionError);
  EXPECT_THROW(SgnhtOptions({.step_size = 0.1, .diffusion_each = {0.1, 0.0}}).validate(2), OptionError);
}

}  // namespace
}  // namespace sgmcmc::testing
