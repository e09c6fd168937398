// hmc-ecs on a Gaussian posterior with heterogeneous rows: exact, although its estimates are noisy.
#include "gradient/estimators.hpp"
#include "statistics/effective_sample_size.hpp"
#include "subsets/expanded_target.hpp"
#include "subsets/subset_estimator.hpp"

#include <sgmcmc/distributions.hpp>
#include <sgmcmc/random.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace sgmcmc::testing {
namespace {

constexpr std::size_t rows = 2000;
constexpr std::uint32_t subset = 50;

/// log p_i(theta) = y_i theta / N - theta^2 / (2 N): the posterior is N(mean of y, 1), and an estimate of the log
/// likelihood from m rows has the variance theta^2 var(y) / m.
struct Disagreeing {
  Disagreeing() : y(rows) {
    fill_normal({3, 0, 0, Purpose::data}, y);
    const double mean = std::accumulate(y.begin(), y.end(), 0.0) / rows;
    double square = 0;
    for (double& each : y) square += (each - mean) * (each - mean);
    for (double& each : y) each = 1.0 + std::sqrt(0.5 * subset * rows / square) * (each - mean);  // variance m / 2
    Model model(Dataset::Builder().real("y", y).build());
    const auto theta = model.parameter("theta");
    model.likelihood((model.row("y") * theta - 0.5 * square_of(theta)) / static_cast<double>(rows));
    target.posterior = std::make_shared<const LogPosterior>(model);
    // Any law for the first half of warm-up.
    target.smooth = std::make_shared<const LogPosterior>(model.with_densities(normal_lpdf(theta, 0.0, 1.0), {}));
    target.subset_rows = subset;
  }
  static Expression square_of(const Expression& x) { return x * x; }

  std::vector<double> y;
  ExpandedTarget target;
};

TEST(HmcEcs, OnAGaussian_TheLawIsExact) {
  const Disagreeing problem;
  const auto chain = problem.target.make_dynamics(HmcEcsOptions{}, 1);
  const auto unused = make_estimator(problem.target.smooth, GradientOptions{}, 0, 0);
  chain->initialise(std::vector<double>{0.0}, {11, 0, false});
  constexpr std::uint64_t warmup = 500, draws = 40'000;
  chain->plan_warmup(warmup);
  std::vector<double> values, squares;
  double variance = 0, error = 0;
  for (std::uint64_t i = 0; i < warmup + draws; ++i) {
    ASSERT_TRUE(chain->step(*unused, i).ok());
    if (i < warmup) continue;
    const double x = chain->position()[0] - 1.0;
    values.push_back(x);
    squares.push_back(x * x);
    variance += chain->statistics()[7] / draws;
    error += std::pow(chain->statistics()[9], 2) / draws;
  }
  const double limit = z_threshold(1e-6, 2);
  EXPECT_LT(std::abs(mean_of_chain(values).z_score(0.0)), limit);
  EXPECT_LT(std::abs(mean_of_chain(squares).z_score(1.0)), limit);
  // The noise is not small: the mean of theta^2 / 2 is 1, and without its correction the precision would be 1 / 2.
  EXPECT_GT(variance, 0.5);
  EXPECT_GT(std::abs(mean_of_chain(squares).z_score(2.0)), limit);
  EXPECT_LT(std::sqrt(error), 0.2);
}

/// Compares the distribution of theta that the estimates imply, exp of the estimate averaged over subsets, with the
/// true one.
TEST(HmcEcs, TheCorrection_TakesTheNoiseOffTheAverage) {
  const Disagreeing problem;
  SubsetEstimator estimator(problem.target.posterior, subset);
  constexpr std::uint32_t subsets = 20'000;
  const double at = 1.5, true_value = 1.0 * at - 0.5 * at * at;
  std::vector<double> gradient(1), with(subsets), without(subsets);
  for (std::uint32_t k = 0; k < subsets; ++k) {
    estimator.draw_subset(5, k);
    const double value = estimator.log_density(std::vector<double>{at}, gradient) - true_value;
    with[k] = std::exp(value);
    without[k] = std::exp(value + 0.5 * estimator.variance());
  }
  const double limit = z_threshold(1e-6, 2);
  EXPECT_LT(std::abs(mean_of_replicates(with).value - 1.0),
            limit * mean_of_replicates(with).standard_error + 0.03);  // the terms of the error: v^2 / 4m and similar
                                                                      // ones
  EXPECT_GT(mean_of_replicates(without).z_score(1.0), limit);
}

TEST(HmcEcs, GradientsAreThoseOfTheDensity) {
  const Disagreeing problem;
  SubsetEstimator estimator(problem.target.posterior, subset);
  estimator.draw_subset(5, 0);
  std::vector<double> gradient(1), other(1);
  const double h = 1e-5;
  for (const double at : {-0.7, 0.4, 2.0}) {
    estimator.log_density(std::vector<double>{at}, gradient);
    const double up = estimator.log_density(std::vector<double>{at + h}, other);
    const double down = estimator.log_density(std::vector<double>{at - h}, other);
    EXPECT_NEAR(gradient[0], (up - down) / (2 * h), 1e-6 * (1 + std::abs(gradient[0])));
  }
}

TEST(HmcEcs, ASubsetOfAllRows_IsTheWholeLikelihood) {
  const Disagreeing problem;
  SubsetEstimator estimator(problem.target.posterior, rows);
  std::vector<double> gradient(1);
  EXPECT_NEAR(estimator.log_density(std::vector<double>{0.5}, gradient), 0.5 - 0.125, 1e-12);
  EXPECT_NEAR(gradient[0], 0.5, 1e-12);
  EXPECT_EQ(estimator.variance(), 0.0);
}

}  // namespace
}  // namespace sgmcmc::testing
