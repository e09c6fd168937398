// The predicted distribution of sgld: closed form in one dimension, a linear system in several, and chains that follow
// it.
#include "diagnose/langevin_law.hpp"
#include "statistics/lyapunov.hpp"
#include "statistics/significance.hpp"

#include <sgmcmc/random.hpp>
#include <sgmcmc/stein.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace sgmcmc {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd one(double x) { return MatrixXd::Constant(1, 1, x); }

double closed_form(double a, double V, double e) { return std::sqrt((1.0 + e * V / 4.0) / (1.0 - e * a / 4.0)); }

TEST(LangevinLaw, OneDimension_IsTheClosedForm) {
  EXPECT_NEAR(langevin_sd_ratios(one(3.0), one(5.0), one(0.4))[0], closed_form(3.0, 5.0, 0.4), 1e-10);
  EXPECT_TRUE(std::isinf(langevin_sd_ratios(one(3.0), one(5.0), one(4.01 / 3.0))[0]));
}

TEST(LangevinLaw, SeveralDimensions_SolveTheLyapunovEquation) {
  MatrixXd A(3, 3), V(3, 3);
  A << 4.0, 1.0, 0.0, 1.0, 2.0, 0.5, 0.0, 0.5, 100.0;
  V << 9.0, 2.0, 0.0, 2.0, 3.0, 0.0, 0.0, 0.0, 50.0;
  VectorXd steps(3);
  steps << 0.2, 0.3, 0.01;
  const MatrixXd B = MatrixXd::Identity(3, 3) - 0.5 * (steps.asDiagonal() * A);
  const MatrixXd Q = MatrixXd(steps.asDiagonal()) + 0.25 * (steps.asDiagonal() * V * steps.asDiagonal());
  const MatrixXd S = testing::stationary_covariance(B, Q), target = A.inverse();
  const VectorXd ratios = langevin_sd_ratios(A, V, steps);
  for (Eigen::Index j = 0; j < 3; ++j) EXPECT_NEAR(ratios[j], std::sqrt(S(j, j) / target(j, j)), 1e-10);
}

TEST(LangevinLaw, StepWithinFivePercent_IsTheOneThatGivesFivePercent) {
  const double factor = factor_within(one(2.0), one(10.0), one(0.5), 0.05);
  EXPECT_LT(closed_form(2.0, 10.0, 0.5 * factor), 1.05);
  EXPECT_GT(closed_form(2.0, 10.0, 0.5 * factor * 1.03), 1.05);
  EXPECT_EQ(factor_within(one(2.0), one(0.0), one(0.01), 0.05), 1.0);
}

/// Draws of sgld on a normal target with gradient noise of variance V, and exact gradients at them.
SteinPoints sgld_draws(double a, double V, double e, std::size_t count) {
  SteinPoints points;
  points.dimension = 1;
  std::vector<double> noise(2 * count);
  fill_normal({3, 0, 0, Purpose::user}, noise);
  double x = 0;
  for (std::size_t t = 0; t < count; ++t) {
    x += 0.5 * e * (-a * x + std::sqrt(V) * noise[2 * t]) + std::sqrt(e) * noise[2 * t + 1];
    points.positions.push_back(x);
    points.gradients.push_back(-a * x);
  }
  return points;
}

TEST(SteinMoments, DrawsOfSgld_ShowTheInflationOfItsLaw) {
  const double a = 2.0, V = 4.0, e = 0.3, z = testing::z_threshold(1e-5);
  const auto c = stein_moments(sgld_draws(a, V, e, 20'000)).coordinates[0];
  EXPECT_LT(c.log_sd_ratio_error, 0.02);
  EXPECT_LT(std::abs(std::log(c.sd_ratio / closed_form(a, V, e))), z * c.log_sd_ratio_error);
  // Neither no bias at all, nor that of the step alone, would pass.
  EXPECT_GT(std::log(c.sd_ratio), z * c.log_sd_ratio_error);
  EXPECT_GT(std::log(c.sd_ratio / closed_form(a, 0.0, e)), z * c.log_sd_ratio_error);
}

}  // namespace
}  // namespace sgmcmc
