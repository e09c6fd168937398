// The statistics used by the tests of samplers, tested on chains with known effective sample size.
#include "statistics/effective_sample_size.hpp"
#include "statistics/lyapunov.hpp"
#include "statistics/significance.hpp"

#include <sgmcmc/random.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace sgmcmc::testing {
namespace {

/// A stationary chain x' = rho x + noise of variance 1: its effective sample size is n (1 - rho) / (1 + rho).
std::vector<double> autoregression(double rho, std::size_t length, std::uint64_t seed) {
  std::vector<double> chain(length);
  fill_normal({seed, 0, 0, Purpose::user}, chain);
  chain[0] /= std::sqrt(1.0 - rho * rho);
  for (std::size_t k = 1; k < length; ++k) chain[k] += rho * chain[k - 1];
  return chain;
}

TEST(EffectiveSampleSize, Autoregression_IsWhatTheoryGives) {
  for (const double rho : {0.0, 0.5, 0.9, -0.4}) {
    const auto chain = autoregression(rho, 20000, 1);
    const double expected = 20000.0 * (1.0 - rho) / (1.0 + rho);
    EXPECT_NEAR(effective_sample_size(chain) / expected, 1.0, 0.25) << "rho = " << rho;
  }
}

TEST(MeanOfChain, ManyChains_ScoresHaveVarianceOne) {
  // The mean of 400 squared z-scores with mean 1 and variance 2 has standard deviation 0.07. Ignoring autocorrelation
  // gives 9.
  double by_autocorrelation = 0.0, by_batches = 0.0, ignoring = 0.0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const auto chain = autoregression(0.8, 4000, seed);
    by_autocorrelation += std::pow(mean_of_chain(chain).z_score(0.0), 2) / 400.0;
    by_batches += std::pow(mean_by_batches(chain).z_score(0.0), 2) / 400.0;
    ignoring += std::pow(mean_of_replicates(chain).z_score(0.0), 2) / 400.0;
  }
  EXPECT_NEAR(by_autocorrelation, 1.0, 0.3);
  EXPECT_NEAR(by_batches, 1.0, 0.35);
  EXPECT_GT(ignoring, 5.0);
}

TEST(ZThreshold, KnownLevels_AreTheNormalQuantiles) {
  EXPECT_NEAR(z_threshold(0.05), 1.959964, 1e-6);
  EXPECT_NEAR(z_threshold(0.05, 5), z_threshold(0.01), 1e-12);
}

TEST(StationaryCovariance, Solution_SatisfiesTheEquation) {
  Eigen::Matrix2d A, Q;
  A << 0.9, 0.3, -0.2, 0.7;
  Q << 1.0, 0.2, 0.2, 0.5;
  const Eigen::MatrixXd S = stationary_covariance(A, Q);
  EXPECT_LT((S - A * S * A.transpose() - Q).norm(), 1e-12);
}

}  // namespace
}  // namespace sgmcmc::testing
