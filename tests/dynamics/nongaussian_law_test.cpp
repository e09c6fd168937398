// sgld on a non-Gaussian target, against the exact stationary distribution of its discretised chain: a step is a
// Gaussian kernel, so that on a fine grid the distribution is the fixed point of a transition matrix.
#include "dynamics/chains.hpp"
#include "dynamics/targets.hpp"
#include "statistics/significance.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include <cmath>

namespace sgmcmc::testing {
namespace {

constexpr double false_alarm_rate = 1e-4;
constexpr double step = 0.4;
constexpr double noise_variance = 1.0;

/// P(theta < 0), P(theta < 1.5) and the variance about 0.5 under the stationary distribution.
Eigen::Vector3d exact_law() {
  constexpr Eigen::Index points = 700;
  const Eigen::VectorXd grid = Eigen::VectorXd::LinSpaced(points, -6.0, 8.0);
  const double variance = step + step * step * noise_variance / 4.0;
  Eigen::MatrixXd transition(points, points);  // column: from, row: to
  for (Eigen::Index from = 0; from < points; ++from) {
    const double mean = grid[from] + 0.5 * step * StudentLocation{}(grid[from]);
    transition.col(from) = (-(grid.array() - mean).square() / (2.0 * variance)).exp();
    transition.col(from) /= transition.col(from).sum();
  }
  Eigen::VectorXd law = Eigen::VectorXd::Constant(points, 1.0 / points);
  for (int k = 0; k < 100; ++k) law = transition * law;
  Eigen::Vector3d result = Eigen::Vector3d::Zero();
  for (Eigen::Index k = 0; k < points; ++k) {
    result[0] += grid[k] < 0.0 ? law[k] : 0.0;
    result[1] += grid[k] < 1.5 ? law[k] : 0.0;
    result[2] += law[k] * (grid[k] - 0.5) * (grid[k] - 0.5);
  }
  return result;
}

Eigen::Vector3d z_scores(double step_used) {
  constexpr std::size_t copies = 256;
  ScalarTarget<StudentLocation> target(copies, noise_variance, {});
  const auto sgld = make_dynamics(SgldOptions{.step_size = step_used}, copies);
  const auto averages =
      time_averages(*sgld, target, 3 * copies, 100, 4000, [&](std::span<const double> theta, auto sums) {
        for (std::size_t j = 0; j < copies; ++j) {
          sums[j] += theta[j] < 0.0 ? 1.0 : 0.0;
          sums[copies + j] += theta[j] < 1.5 ? 1.0 : 0.0;
          sums[2 * copies + j] += (theta[j] - 0.5) * (theta[j] - 0.5);
        }
      });
  const Eigen::Vector3d expected = exact_law();
  Eigen::Vector3d scores;
  for (std::size_t q = 0; q < 3; ++q)
    scores[static_cast<Eigen::Index>(q)] = mean_of_replicates(std::span(averages).subspan(q * copies, copies))
                                               .z_score(expected[static_cast<Eigen::Index>(q)]);
  return scores.cwiseAbs();
}

// The grid spacing is 0.02: probabilities are accurate to about 1e-4, a tenth of a standard error.
TEST(Sgld, StudentLocation_LawOfTheDiscretisedChain) {
  EXPECT_LT(z_scores(step).maxCoeff(), z_threshold(false_alarm_rate, 3));
}

TEST(Sgld, StepTenPercentTooLarge_IsRejectedByTheLaw) {
  EXPECT_GT(z_scores(1.1 * step).maxCoeff(), z_threshold(false_alarm_rate, 3));
}

}  // namespace
}  // namespace sgmcmc::testing
