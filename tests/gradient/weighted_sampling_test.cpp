// Preferential subsampling is unbiased: a z-score over many batches, which must reject planted errors.
#include "gradient/regression.hpp"
#include "statistics/significance.hpp"

#include <gtest/gtest.h>

namespace sgmcmc::testing {
namespace {

constexpr double false_alarm_rate = 1e-4;  // of each test
constexpr std::size_t rows = 200;
constexpr std::int64_t batch_size = 20;
constexpr std::uint64_t batches = 4000;
const Vector here{0.4, -0.9, 0.3};
const Vector there{0.35, -0.8, 0.25};

GradientOptions preferential(const Regression& regression, Estimator estimator) {
  auto options = options_for(estimator, batch_size, RowSampling::weighted, rows);
  // In proportion to the size of each row's gradient, as one would choose, with a floor.
  for (std::size_t i = 0; i < rows; ++i) {
    const Vector g = regression.row_gradient(i, here);
    options.minibatch.row_probabilities[i] = 0.2 + std::sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
  }
  options.centre = there;
  return options;
}

/// Largest |z| of the mean of one estimate per batch against the full gradient.
template <class OneEstimate>
double worst_z(const Regression& regression, OneEstimate&& one_estimate) {
  std::vector<Vector> components(Regression::dimension);
  for (std::uint64_t t = 1; t <= batches; ++t) {
    const Vector one = one_estimate(t);
    for (std::size_t d = 0; d < one.size(); ++d) components[d].push_back(one[d]);
  }
  const Vector exact = regression.full_gradient(here);
  double worst = 0.0;
  for (std::size_t d = 0; d < exact.size(); ++d)
    worst = std::max(worst, std::abs(mean_of_replicates(components[d]).z_score(exact[d])));
  return worst;
}

const double threshold = z_threshold(false_alarm_rate, Regression::dimension);

class WeightedSampling : public ::testing::TestWithParam<Estimator> {};

TEST_P(WeightedSampling, MeanOverManyBatches_IsTheFullGradient) {
  const Regression regression(rows);
  const auto estimator = regression.estimator(preferential(regression, GetParam()));
  estimate(*estimator, there, 0);
  auto memory = StateKeeper::saved(*estimator);
  EXPECT_LT(worst_z(regression,
                    [&](std::uint64_t t) {
                      if (GetParam() == Estimator::saga) memory.restore(*estimator);
                      return estimate(*estimator, here, t);
                    }),
            threshold);
}

INSTANTIATE_TEST_SUITE_P(EveryEstimator, WeightedSampling,
                         ::testing::Values(Estimator::minibatch, Estimator::control_variate, Estimator::saga,
                                           Estimator::svrg),
                         [](const auto& which) { return std::string(estimator_name(which.param)); });

TEST(WeightedSampling, Mutants_AreRejected) {
  const Regression regression(rows);
  const auto options = preferential(regression, Estimator::minibatch);
  Minibatcher batcher(rows, options.minibatch, 1, 0);
  // The estimate by hand, from the weights, the scale of the sum and the scale of the prior.
  const auto by_hand = [&](auto&& weight_of, double scale, double prior_scale) {
    return worst_z(regression, [&](std::uint64_t t) {
      const RowBatch& batch = batcher.batch(t);
      Vector sum = regression.prior_gradient(here);
      for (double& s : sum) s *= prior_scale;
      for (std::uint32_t k = 0; k < batch.count; ++k) {
        const Vector row = regression.row_gradient(batch.row(k), here);
        for (std::size_t d = 0; d < row.size(); ++d) sum[d] += scale * weight_of(batch, k) * row[d];
      }
      return sum;
    });
  };
  const auto right = [](const RowBatch& batch, std::uint32_t k) { return batch.weights[k]; };
  const auto forgotten = [](const RowBatch&, std::uint32_t) { return double(rows) / double(batch_size); };
  constexpr double ratio = double(rows) / double(batch_size);
  EXPECT_LT(by_hand(right, 1.0, 1.0), threshold) << "no mistake, no rejection";
  EXPECT_GT(by_hand(forgotten, 1.0, 1.0), 3 * threshold) << "weights forgotten";
  EXPECT_GT(by_hand(right, ratio, 1.0), 3 * threshold) << "N/n twice";
  EXPECT_GT(by_hand(right, 1.0, ratio), 3 * threshold) << "prior scaled by N/n";
}

TEST(WeightedSampling, ProbabilitiesOfTheGradientSizes_ReduceTheVariance) {
  const Regression regression(rows);
  const auto total_variance = [&](const GradientOptions& options) {
    const auto estimator = regression.estimator(options);
    double total = 0.0;
    Vector gradient(3), variance(3);
    for (std::uint64_t t = 0; t < 500; ++t) {
      estimator->estimate_with_variance(here, t, gradient, variance);
      total += variance[0] + variance[1] + variance[2];
    }
    return total;
  };
  EXPECT_LT(total_variance(preferential(regression, Estimator::minibatch)),
            0.8 * total_variance(options_for(Estimator::minibatch, batch_size, RowSampling::with_replacement)));
}

}  // namespace
}  // namespace sgmcmc::testing
