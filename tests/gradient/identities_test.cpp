// Exact identities of every estimator, checked over all possible minibatches of a few rows.
#include "gradient/regression.hpp"

#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>

#include <ostream>

namespace sgmcmc::testing {
namespace {

const Vector here{0.4, -0.9, 0.3};
const Vector there{0.1, 0.2, -0.2};
const Vector elsewhere{-0.6, 0.5, 0.4};

void expect_near(std::span<const double> found, std::span<const double> expected, double relative,
                 const char* what = "") {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t d = 0; d < found.size(); ++d)
    EXPECT_NEAR(found[d], expected[d], relative * (1.0 + std::abs(expected[d]))) << what << " component " << d;
}

struct Case {
  Estimator estimator;
  RowSampling sampling;
  std::int64_t batch_size;
  friend void PrintTo(const Case& c, std::ostream* out) {
    *out << estimator_name(c.estimator) << ", sampling " << static_cast<int>(c.sampling) << ", " << c.batch_size
         << " rows";
  }
};

std::string name_of(const Case& c) {
  const char* samplings[] = {"without", "with", "epochs", "weighted", "slices"};
  return std::string(estimator_name(c.estimator)) + "_" + samplings[static_cast<int>(c.sampling)] + "_" +
         std::to_string(c.batch_size);
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const auto estimator : {Estimator::minibatch, Estimator::control_variate, Estimator::saga, Estimator::svrg})
    for (const auto sampling : {RowSampling::without_replacement, RowSampling::with_replacement,
                                RowSampling::shuffled_epochs, RowSampling::weighted, RowSampling::slices})
      for (const std::int64_t n : {1, 2, 3}) all.push_back({estimator, sampling, n});
  return all;
}

class EveryBatch : public ::testing::TestWithParam<Case> {
 protected:
  EveryBatch()
      : options_(options_for(GetParam().estimator, GetParam().batch_size, GetParam().sampling, regression_.rows())),
        // In epochs, a batch that starts an epoch is any set of rows, and N is a multiple of n.
        stride_(GetParam().sampling == RowSampling::shuffled_epochs
                    ? regression_.rows() / static_cast<std::uint64_t>(GetParam().batch_size)
                    : 1),
        batches_(every_batch(regression_.rows(), options_.minibatch, 10 * stride_, stride_)) {
    // A non-trivial memory: rows were last visited at different positions.
    const auto estimator = regression_.estimator(options_);
    estimate(*estimator, there, 0);
    for (std::uint64_t t = 1; t < 4; ++t) estimate(*estimator, t % 2 ? elsewhere : there, t);
    memory_ = StateKeeper::saved(*estimator);
  }

  std::unique_ptr<GradientEstimator> with_memory() {
    auto estimator = regression_.estimator(options_);
    memory_.restore(*estimator);
    return estimator;
  }

  Regression regression_{6};
  GradientOptions options_;
  std::uint64_t stride_;
  std::vector<Batch> batches_;
  StateKeeper memory_;
};

TEST_P(EveryBatch, Average_IsTheFullGradient) {
  Vector average(Regression::dimension, 0.0);
  double total = 0.0;
  for (const Batch& batch : batches_) {
    const Vector one = estimate(*with_memory(), here, batch.evaluation);
    for (std::size_t d = 0; d < one.size(); ++d) average[d] += batch.probability * one[d];
    total += batch.probability;
  }
  ASSERT_NEAR(total, 1.0, 1e-12);
  expect_near(average, regression_.full_gradient(here), 1e-12);
}

TEST_P(EveryBatch, AverageOfTheReportedVariance_IsTheVarianceOfTheEstimates) {
  if (GetParam().sampling == RowSampling::slices && GetParam().batch_size > 1)
    GTEST_SKIP() << "of slices it is that of rows in random order, not of these";
  if (GetParam().batch_size == 1) {
    Vector gradient(Regression::dimension), variance(Regression::dimension, -1.0);
    with_memory()->estimate_with_variance(here, batches_[0].evaluation, gradient, variance);
    EXPECT_EQ(variance, Vector(Regression::dimension, 0.0)) << "one row has no spread";
    return;
  }
  Vector mean(Regression::dimension, 0.0), square(mean), reported(mean);
  for (const Batch& batch : batches_) {
    Vector gradient(Regression::dimension), variance(Regression::dimension);
    with_memory()->estimate_with_variance(here, batch.evaluation, gradient, variance);
    EXPECT_EQ(gradient, estimate(*with_memory(), here, batch.evaluation));
    for (std::size_t d = 0; d < gradient.size(); ++d) {
      mean[d] += batch.probability * gradient[d];
      square[d] += batch.probability * gradient[d] * gradient[d];
      reported[d] += batch.probability * variance[d];
    }
  }
  Vector exact(Regression::dimension);
  for (std::size_t d = 0; d < exact.size(); ++d) {
    exact[d] = square[d] - mean[d] * mean[d];
    EXPECT_GT(exact[d], 1e-6) << "no variance, no test";
  }
  expect_near(reported, exact, 1e-9);
}

TEST_P(EveryBatch, RestoredState_ContinuesBitForBit) {
  const auto first = with_memory(), second = with_memory();
  for (std::uint64_t t = 4; t < 30; ++t) {
    const Vector& theta = t % 3 == 0 ? here : t % 3 == 1 ? there : elsewhere;
    ASSERT_EQ(estimate(*first, theta, t), estimate(*second, theta, t)) << "evaluation " << t;
    if (t == 15) {  // again, in the middle of a run, and into an estimator with another state
      auto keeper = StateKeeper::saved(*first);
      keeper.restore(*second);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryEstimator, EveryBatch, ::testing::ValuesIn(cases()),
                         [](const auto& which) { return name_of(which.param); });

TEST(FullEstimator, SmallModel_IsTheGradientByHandWithoutVariance) {
  const Regression regression(50);
  const auto full = regression.estimator(options_for(Estimator::full, 0));
  Vector gradient(3), variance(3, 1.0);
  full->estimate_with_variance(here, 0, gradient, variance);
  expect_near(gradient, regression.full_gradient(here), 1e-13);
  EXPECT_EQ(variance, Vector(3, 0.0));
  EXPECT_EQ(estimate(*full, here, 7), gradient) << "the number of the evaluation means nothing";
}

TEST(Estimators, BatchOfAllRows_IsTheFullGradient) {
  const Regression regression(50);
  for (const auto which : {Estimator::minibatch, Estimator::control_variate, Estimator::saga, Estimator::svrg})
    for (const auto sampling : {RowSampling::without_replacement, RowSampling::shuffled_epochs, RowSampling::slices}) {
      const auto estimator = regression.estimator(options_for(which, 50, sampling));
      estimate(*estimator, there, 0);
      Vector gradient(3), variance(3, 1.0);
      estimator->estimate_with_variance(here, 1, gradient, variance);
      expect_near(gradient, regression.full_gradient(here), 1e-12, std::string(estimator_name(which)).c_str());
      EXPECT_EQ(variance, Vector(3, 0.0)) << "nothing is left to chance";
    }
}

TEST(Estimators, DefaultBatchSizeOnFewRows_IsTheFullGradient) {
  const Regression regression(50);
  const auto estimator = regression.estimator(options_for(Estimator::minibatch, 0));
  expect_near(estimate(*estimator, here, 3), regression.full_gradient(here), 1e-13);
}

TEST(ControlVariates, AtTheCentre_IsTheFullGradientForAnyBatch) {
  const Regression regression(40);
  for (const auto precision : {Precision::float64, Precision::float32})
    for (const auto sampling : {RowSampling::without_replacement, RowSampling::weighted}) {
      auto options = options_for(Estimator::control_variate, 3, sampling, 40);
      options.precision = precision;
      options.centre = here;
      const auto centre = make_centre(*regression.posterior(), here, {precision, 0, nullptr});
      const auto estimator = make_estimator(regression.posterior(), options, 1, 0, centre);
      for (std::uint64_t t = 0; t < 20; ++t) {
        Vector gradient(3), variance(3, 1.0);
        estimator->estimate_with_variance(here, t, gradient, variance);
        // To rounding of the terms of the prior, which may be added in another order.
        expect_near(gradient, centre->gradient, precision == Precision::float64 ? 1e-14 : 1e-6);
        ASSERT_EQ(variance, Vector(3, 0.0));
      }
    }
}

TEST(ControlVariates, StartOfTheChain_IsTheCentre) {
  const Regression regression(10);
  auto options = options_for(Estimator::control_variate, 3);
  options.centre = here;
  EXPECT_TRUE(regression.estimator(options_for(Estimator::svrg, 3))->preferred_start().empty());
  EXPECT_TRUE(regression.estimator(options_for(Estimator::minibatch, 3))->preferred_start().empty());
  const auto kept = regression.estimator(options);
  EXPECT_EQ(Vector(kept->preferred_start().begin(), kept->preferred_start().end()), here);
}

TEST(ControlVariates, NoCentre_IsRefused) {
  const Regression regression(10);
  EXPECT_THROW(make_estimator(regression.posterior(), options_for(Estimator::control_variate, 3), 1, 0), OptionError);
}

TEST(Svrg, OnRefresh_IsTheFullGradient) {
  const Regression regression(40);
  auto options = options_for(Estimator::svrg, 3);
  options.refresh_every = 4;
  const auto svrg = regression.estimator(options), full = regression.estimator(options_for(Estimator::full, 0));
  for (std::uint64_t t = 0; t < 20; ++t) {
    const Vector theta{0.1 * static_cast<double>(t), -0.3, 0.02 * static_cast<double>(t)};
    const Vector found = estimate(*svrg, theta, t), exact = estimate(*full, theta, t);
    if (t % 4 == 0)
      expect_near(found, exact, 1e-14);
    else
      EXPECT_GT(std::abs(found[0] - exact[0]), 1e-3) << "evaluation " << t;
  }
}

TEST(Svrg, DefaultRefresh_IsOneEpoch) {
  const Regression regression(40);
  auto by_default = options_for(Estimator::svrg, 7), of_five = by_default;
  by_default.refresh_every = 0;
  of_five.refresh_every = 40 / 7;
  const auto first = regression.estimator(by_default), second = regression.estimator(of_five);
  for (std::uint64_t t = 0; t < 20; ++t) {
    const Vector theta{0.1 * static_cast<double>(t), -0.3, 0.2};
    ASSERT_EQ(estimate(*first, theta, t), estimate(*second, theta, t));
  }
}

TEST(Saga, FirstEvaluation_IsTheFullGradient) {
  const Regression regression(40);
  const auto saga = regression.estimator(options_for(Estimator::saga, 3));
  expect_near(estimate(*saga, here, 0), regression.full_gradient(here), 1e-12);
}

class BadEvaluation : public ::testing::TestWithParam<Estimator> {};

TEST_P(BadEvaluation, GradientThatIsNotFinite_LeavesTheMemoryAlone) {
  const Regression regression(40);
  const auto options = options_for(GetParam(), 3);
  for (const std::uint64_t bad_at : {0, 1}) {
    const auto disturbed = regression.estimator(options), calm = regression.estimator(options);
    for (std::uint64_t t = 0; t < 2; ++t) {
      if (t != bad_at) {
        estimate(*disturbed, there, t);
        estimate(*calm, there, t);
        continue;
      }
      const Vector broken = estimate(*disturbed, Vector{1e200, 0.0, -400.0}, t);
      ASSERT_FALSE(std::isfinite(broken[0]) && std::isfinite(broken[1]) && std::isfinite(broken[2]));
    }
    EXPECT_EQ(estimate(*disturbed, here, 2), estimate(*calm, here, 2)) << "bad evaluation " << bad_at;
  }
}

INSTANTIATE_TEST_SUITE_P(EveryMemory, BadEvaluation, ::testing::Values(Estimator::saga, Estimator::svrg),
                         [](const auto& which) { return std::string(estimator_name(which.param)); });

/// Exact variance over all batches of one row.
Vector variance_at(const Regression& regression, const GradientOptions& options, const Vector& theta) {
  const auto estimator = regression.estimator(options);
  Vector mean(3, 0.0), square(3, 0.0);
  for (const Batch& batch : every_batch(regression.rows(), options.minibatch)) {
    const Vector one = estimate(*estimator, theta, batch.evaluation);
    for (std::size_t d = 0; d < 3; ++d) mean[d] += batch.probability * one[d];
  }
  for (const Batch& batch : every_batch(regression.rows(), options.minibatch)) {
    const Vector one = estimate(*estimator, theta, batch.evaluation);
    for (std::size_t d = 0; d < 3; ++d) square[d] += batch.probability * (one[d] - mean[d]) * (one[d] - mean[d]);
  }
  return square;
}

TEST(ControlVariates, DistanceToTheCentreHalved_VarianceFallsToAQuarter) {
  const Regression regression(20);
  auto options = options_for(Estimator::control_variate, 1);
  options.centre = here;
  const Vector direction{0.6, -0.5, 0.62};
  const auto at = [&](double distance) {
    Vector theta = here;
    for (std::size_t d = 0; d < 3; ++d) theta[d] += distance * direction[d];
    return variance_at(regression, options, theta);
  };
  const Vector far = at(1e-3), near = at(5e-4);
  for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(far[d] / near[d], 4.0, 0.02) << "component " << d;
  auto plain = options_for(Estimator::minibatch, 1);
  const Vector without = variance_at(regression, plain, here);
  for (std::size_t d = 0; d < 3; ++d) EXPECT_LT(far[d], 1e-4 * without[d]) << "component " << d;
}

TEST(Estimators, SameSeedChainEvaluationAndTheta_SameEstimate) {
  const Regression regression(40);
  for (const auto which : {Estimator::full, Estimator::minibatch, Estimator::control_variate}) {
    const auto options = options_for(which, 5);
    const auto forwards = regression.estimator(options, 9, 2), backwards = regression.estimator(options, 9, 2);
    std::vector<Vector> first, second;
    for (std::uint64_t t = 0; t < 10; ++t) first.push_back(estimate(*forwards, here, t));
    for (std::uint64_t t = 10; t-- > 0;) second.push_back(estimate(*backwards, here, t));
    std::reverse(second.begin(), second.end());
    EXPECT_EQ(first, second) << estimator_name(which) << ": the order of evaluations means nothing";
  }
  for (const auto which : {Estimator::minibatch, Estimator::control_variate, Estimator::saga, Estimator::svrg}) {
    const auto options = options_for(which, 5);
    const auto first = regression.estimator(options, 9, 2), second = regression.estimator(options, 9, 2);
    const auto other_chain = regression.estimator(options, 9, 3), other_seed = regression.estimator(options, 8, 2);
    Vector a, b, c, d;
    for (std::uint64_t t = 0; t < 10; ++t) {
      const Vector& theta = t % 2 ? here : there;
      a = estimate(*first, theta, t), b = estimate(*second, theta, t);
      c = estimate(*other_chain, theta, t), d = estimate(*other_seed, theta, t);
      ASSERT_EQ(a, b) << estimator_name(which);
    }
    EXPECT_NE(a, c) << estimator_name(which);
    EXPECT_NE(a, d) << estimator_name(which);
  }
}

TEST(Estimators, TileSizeAndThreads_NeverChangeTheEstimate) {
  const Regression regression(5000);
  ThreadPool pool(3);
  for (const auto which :
       {Estimator::full, Estimator::minibatch, Estimator::control_variate, Estimator::saga, Estimator::svrg}) {
    auto options = options_for(which, 700);
    const auto centre = make_centre(*regression.posterior(), there);
    const auto run = [&](int tile_rows, ThreadPool* threads) {
      options.tile_rows = tile_rows;
      const auto estimator = make_estimator(regression.posterior(), options, 1, 0, centre, threads);
      estimate(*estimator, there, 0);
      return estimate(*estimator, here, 1);
    };
    const Vector plain = run(0, nullptr);
    for (const int tile_rows : {1, 16, 48, 1000, 10'000}) EXPECT_EQ(run(tile_rows, nullptr), plain) << tile_rows;
    EXPECT_EQ(run(0, &pool), plain) << estimator_name(which);
    EXPECT_EQ(run(32, &pool), plain) << estimator_name(which);
  }
}

TEST(Estimators, SinglePrecision_IsCloseToDouble) {
  const Regression regression(2000);
  for (const auto which :
       {Estimator::full, Estimator::minibatch, Estimator::control_variate, Estimator::saga, Estimator::svrg}) {
    auto options = options_for(which, 100);
    const auto in_double = regression.estimator(options);
    options.precision = Precision::float32;
    const auto in_single = regression.estimator(options);
    estimate(*in_double, there, 0);
    estimate(*in_single, there, 0);
    const Vector exact = estimate(*in_double, here, 1), rough = estimate(*in_single, here, 1);
    EXPECT_NE(rough, exact) << estimator_name(which) << ": was it really single precision?";
    // The sums hold 2000 terms of size 1, most of which cancel.
    for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(rough[d], exact[d], 2000 * 3e-6) << estimator_name(which);
  }
}

TEST(Estimators, ModelWithoutData_AllGiveTheGradientOfThePrior) {
  Model model;
  const auto x = model.parameter("x", {2});
  model.prior(normal_lpdf(x, 1, 2));
  const auto posterior = std::make_shared<const LogPosterior>(model);
  for (const auto which :
       {Estimator::full, Estimator::minibatch, Estimator::control_variate, Estimator::saga, Estimator::svrg}) {
    GradientOptions options;
    options.estimator = which;
    options.minibatch.batch_size = 100;
    const auto estimator = make_estimator(posterior, options, 1, 0);
    expect_near(estimate(*estimator, Vector{3.0, -1.0}, 0), Vector{-0.5, 0.5}, 1e-14);
  }
}

}  // namespace
}  // namespace sgmcmc::testing
