// estimate_with_information, which Fisher scoring uses, against explicit sums.
#include "gradient/regression.hpp"
#include "minibatch/alias_table.hpp"

#include <gtest/gtest.h>

namespace sgmcmc::testing {
namespace {

constexpr std::size_t D = Regression::dimension;
const Vector here{0.4, -0.9, 0.3};

/// Sample covariance of vectors, D x D.
Vector covariance_of(const std::vector<Vector>& values) {
  Vector mean(D), covariance(D * D);
  for (const auto& v : values)
    for (std::size_t d = 0; d < D; ++d) mean[d] += v[d] / static_cast<double>(values.size());
  for (const auto& v : values)
    for (std::size_t c = 0; c < D; ++c)
      for (std::size_t r = 0; r < D; ++r)
        covariance[c * D + r] += (v[r] - mean[r]) * (v[c] - mean[c]) / static_cast<double>(values.size() - 1);
  return covariance;
}

Vector covariance_of_rows(const Regression& regression, std::span<const double> theta) {
  std::vector<Vector> rows;
  for (std::size_t i = 0; i < regression.rows(); ++i) rows.push_back(regression.row_gradient(i, theta));
  return covariance_of(rows);
}

void expect_lower(const Vector& found, const Vector& expected, double factor, double tolerance = 1e-11) {
  for (std::size_t c = 0; c < D; ++c)
    for (std::size_t r = c; r < D; ++r)
      EXPECT_NEAR(found[c * D + r], factor * expected[c * D + r],
                  tolerance * (1.0 + std::abs(factor * expected[c * D + r])))
          << r << ", " << c;
}

struct Found {
  Vector gradient = Vector(D), information;
};
Found found_by(GradientEstimator& estimator, std::span<const double> theta, std::uint64_t evaluation, bool all_pairs) {
  Found found;
  found.information.resize(all_pairs ? D * D : D);
  const std::size_t one_block[] = {D};
  estimator.estimate_with_information(theta, evaluation, found.gradient,
                                      std::span(one_block, all_pairs ? std::size_t{1} : std::size_t{0}),
                                      found.information);
  return found;
}

TEST(Information, AllRows_AreTheirSampleCovariance) {
  const Regression regression(20);
  const auto estimator = regression.estimator(options_for(Estimator::full, 20, RowSampling::without_replacement, 20));
  expect_lower(found_by(*estimator, here, 0, true).information, covariance_of_rows(regression, here), 20.0);
}

TEST(Information, EveryRowInTheBatch_HasNoNoise) {
  const Regression regression(20);
  const auto estimator =
      regression.estimator(options_for(Estimator::minibatch, 20, RowSampling::without_replacement, 20));
  expect_lower(found_by(*estimator, here, 0, true).information, covariance_of_rows(regression, here), 20.0);
}

TEST(Information, RowsThatRepeat_GiveTheFormulaOfThePaper) {
  // gamma N V = (n + N) / n N V of the batch's own rows; n = N, so that V can be had from the minibatcher's rows.
  const Regression regression(12);
  const auto options = options_for(Estimator::minibatch, 5, RowSampling::with_replacement, 12);
  const auto estimator = regression.estimator(options);
  Minibatcher rows(12, options.minibatch, 1, 0);
  for (const std::uint64_t evaluation : {0, 1, 7}) {
    std::vector<Vector> gradients;
    const RowBatch& batch = rows.batch(evaluation);
    for (std::uint32_t i = 0; i < batch.count; ++i) gradients.push_back(regression.row_gradient(batch.row(i), here));
    const double gamma = (5.0 + 12.0) / 5.0;
    expect_lower(found_by(*estimator, here, evaluation, true).information, covariance_of(gradients), gamma * 12.0);
  }
}

TEST(Information, RowsThatDoNotRepeat_HaveLessNoise) {
  const Regression regression(12);
  const auto options = options_for(Estimator::minibatch, 5, RowSampling::without_replacement, 12);
  const auto estimator = regression.estimator(options);
  Minibatcher rows(12, options.minibatch, 1, 0);
  std::vector<Vector> gradients;
  const RowBatch& batch = rows.batch(3);
  for (std::uint32_t i = 0; i < batch.count; ++i) gradients.push_back(regression.row_gradient(batch.row(i), here));
  // N V + (1 - n / N) N^2 / n V
  expect_lower(found_by(*estimator, here, 3, true).information, covariance_of(gradients),
               12.0 + (1.0 - 5.0 / 12.0) * 144.0 / 5.0);
}

TEST(Information, Gradient_IsThatOfEstimate) {
  const Regression regression(20);
  for (const auto estimator :
       {Estimator::full, Estimator::minibatch, Estimator::control_variate, Estimator::saga, Estimator::svrg})
    for (const auto sampling : {RowSampling::without_replacement, RowSampling::weighted}) {
      const auto options = options_for(estimator, 4, sampling, 20);
      const auto one = regression.estimator(options), other = regression.estimator(options);
      for (std::uint64_t evaluation = 0; evaluation < 3; ++evaluation) {
        Vector gradient(D);
        one->estimate(here, evaluation, gradient);
        const auto found = found_by(*other, here, evaluation, true);
        for (std::size_t d = 0; d < D; ++d)
          EXPECT_NEAR(found.gradient[d], gradient[d], 1e-11 * (1.0 + std::abs(gradient[d])))
              << estimator_name(estimator);
      }
    }
}

TEST(Information, Diagonal_IsThatOfTheMatrix) {
  const Regression regression(20);
  for (const auto estimator : {Estimator::full, Estimator::minibatch, Estimator::control_variate, Estimator::saga})
    for (const auto sampling : {RowSampling::without_replacement, RowSampling::weighted}) {
      const auto options = options_for(estimator, 4, sampling, 20);
      const auto whole = found_by(*regression.estimator(options), here, 0, true);
      const auto diagonal = found_by(*regression.estimator(options), here, 0, false);
      for (std::size_t d = 0; d < D; ++d)
        EXPECT_NEAR(diagonal.information[d], whole.information[d * (D + 1)],
                    1e-11 * (1.0 + std::abs(whole.information[d * (D + 1)])))
            << estimator_name(estimator);
    }
}

TEST(Information, Blocks_AreThoseOfTheMatrix) {
  const Regression regression(20);
  const std::size_t blocks[] = {1, D - 1};
  for (const auto estimator : {Estimator::full, Estimator::minibatch, Estimator::control_variate, Estimator::saga})
    for (const auto sampling : {RowSampling::without_replacement, RowSampling::weighted}) {
      const auto options = options_for(estimator, 4, sampling, 20);
      const auto whole = found_by(*regression.estimator(options), here, 0, true).information;
      Vector gradient(D), found(1 + (D - 1) * (D - 1));
      regression.estimator(options)->estimate_with_information(here, 0, gradient, blocks, found);
      EXPECT_NEAR(found[0], whole[0], 1e-11 * (1.0 + whole[0]));
      for (std::size_t c = 1; c < D; ++c)
        for (std::size_t r = c; r < D; ++r)
          EXPECT_NEAR(found[1 + (c - 1) * (D - 1) + r - 1], whole[c * D + r],
                      1e-11 * (1.0 + std::abs(whole[c * D + r])));
    }
}

TEST(Information, Factor_IsThatOfTheMatrix) {
  const Regression regression(20);
  for (const auto estimator : {Estimator::minibatch, Estimator::control_variate, Estimator::saga, Estimator::svrg})
    for (const auto sampling :
         {RowSampling::without_replacement, RowSampling::with_replacement, RowSampling::shuffled_epochs}) {
      const auto options = options_for(estimator, 6, sampling, 20);  // 6 does not divide 20
      const auto one = regression.estimator(options), other = regression.estimator(options);
      const std::size_t columns = one->information_columns();
      EXPECT_EQ(columns, estimator == Estimator::minibatch ? 6u : 12u);
      for (std::uint64_t evaluation = 0; evaluation < 5; ++evaluation) {
        const Vector theta{0.4, -0.9 + 0.1 * static_cast<double>(evaluation), 0.3};
        const auto whole = found_by(*one, theta, evaluation, true);
        Vector gradient(D), factor(columns * D), product(D * D);
        other->estimate_with_information_factor(theta, evaluation, gradient, factor);
        for (std::size_t k = 0; k < columns; ++k)
          for (std::size_t c = 0; c < D; ++c)
            for (std::size_t r = 0; r < D; ++r) product[c * D + r] += factor[k * D + c] * factor[k * D + r];
        expect_lower(whole.information, product, 1.0);
        for (std::size_t d = 0; d < D; ++d)
          EXPECT_NEAR(gradient[d], whole.gradient[d], 1e-11 * (1.0 + std::abs(gradient[d])));
      }
    }
}

TEST(Information, FactorWithUnequalChances_IsThatOfTheMatrix) {
  const Regression regression(20);
  const auto options = options_for(Estimator::minibatch, 6, RowSampling::weighted, 20);
  const auto one = regression.estimator(options), other = regression.estimator(options);
  Vector gradient(D), factor(12 * D), product(D * D);
  other->estimate_with_information_factor(here, 3, gradient, factor);
  for (std::size_t k = 0; k < 12; ++k)
    for (std::size_t c = 0; c < D; ++c)
      for (std::size_t r = 0; r < D; ++r) product[c * D + r] += factor[k * D + c] * factor[k * D + r];
  const auto whole = found_by(*one, here, 3, true).information;
  for (std::size_t c = 0; c < D; ++c)
    for (std::size_t r = c; r < D; ++r)
      EXPECT_NEAR(product[c * D + r], whole[c * D + r], 1e-9 * (1.0 + std::abs(whole[c * D + r])));
}

TEST(EstimateAgain, DiffersByTheChangeOfTheGradientAlone) {
  // On the same rows, with the same memory, whatever the estimator: prior's change plus w times the rows' changes.
  const Regression regression(20);
  for (const auto estimator :
       {Estimator::full, Estimator::minibatch, Estimator::control_variate, Estimator::saga, Estimator::svrg}) {
    const auto options = options_for(estimator, 4, RowSampling::without_replacement, 20);
    const auto one = regression.estimator(options), undisturbed = regression.estimator(options);
    Minibatcher rows(20, options.minibatch, 1, 0);
    Vector there{0.1, 0.2, 0.3}, prior_here(D), prior_there(D);
    one->prior_gradient(here, prior_here);
    one->prior_gradient(there, prior_there);
    for (std::uint64_t evaluation = 0; evaluation < 12; ++evaluation) {
      Vector first(D), second(D), plain(D);
      one->estimate(here, evaluation, first);
      one->estimate_again(there, evaluation, second);
      undisturbed->estimate(here, evaluation, plain);
      EXPECT_EQ(first, plain) << "a second estimate leaves no trace";
      Vector change(D);
      const RowBatch& batch = rows.batch(evaluation);
      const bool all = estimator == Estimator::full;
      for (std::uint32_t i = 0; i < (all ? 20u : batch.count); ++i) {
        const std::size_t row = all ? i : batch.row(i);
        const Vector from = regression.row_gradient(row, here), to = regression.row_gradient(row, there);
        for (std::size_t d = 0; d < D; ++d) change[d] += (all ? 1.0 : 5.0) * (to[d] - from[d]);
      }
      for (std::size_t d = 0; d < D; ++d)
        EXPECT_NEAR(second[d] - first[d], change[d] + prior_there[d] - prior_here[d],
                    1e-10 * (1.0 + std::abs(change[d])))
            << estimator_name(estimator);
    }
  }
}

TEST(Information, ControlVariatesAtTheirCentre_HaveNoNoise) {
  const Regression regression(20);
  auto options = options_for(Estimator::control_variate, 5, RowSampling::with_replacement, 20);
  options.centre = here;
  Minibatcher rows(20, options.minibatch, 1, 0);
  std::vector<Vector> gradients;
  const RowBatch& batch = rows.batch(2);
  for (std::uint32_t i = 0; i < batch.count; ++i) gradients.push_back(regression.row_gradient(batch.row(i), here));
  expect_lower(found_by(*regression.estimator(options), here, 2, true).information, covariance_of(gradients), 20.0);
}

TEST(Information, UnequalChances_AreWeightedCovarianceAndNoise) {
  const Regression regression(12);
  const auto options = options_for(Estimator::minibatch, 6, RowSampling::weighted, 12);
  const auto estimator = regression.estimator(options);
  Minibatcher rows(12, options.minibatch, 1, 0);
  constexpr int count = 2000;
  const double n = 6.0;
  Vector mean(D * D), truth(D * D), first(D);
  for (int k = 0; k < count; ++k) {
    const auto found = found_by(*estimator, here, static_cast<std::uint64_t>(k), true);
    const RowBatch& batch = rows.batch(static_cast<std::uint64_t>(k));
    double sum = 0.0, squares = 0.0;
    Vector total(D);
    for (std::uint32_t i = 0; i < batch.count; ++i) {
      const Vector g = regression.row_gradient(batch.row(i), here);
      sum += batch.weights[i];
      squares += batch.weights[i] * batch.weights[i];
      for (std::size_t d = 0; d < D; ++d) total[d] += batch.weights[i] * g[d];
    }
    for (std::size_t c = 0; c < D; ++c)
      for (std::size_t r = c; r < D; ++r) {
        double information = 0.0, noise = 0.0;
        for (std::uint32_t i = 0; i < batch.count; ++i) {
          const Vector g = regression.row_gradient(batch.row(i), here);
          const double w = batch.weights[i];
          information += w * (g[c] - total[c] / sum) * (g[r] - total[r] / sum) / (1.0 - squares / (sum * sum));
          noise += n / (n - 1.0) * (w * g[c] - total[c] / n) * (w * g[r] - total[r] / n);
        }
        const double expected = information + noise;
        ASSERT_NEAR(found.information[c * D + r], expected, 1e-9 * (1.0 + std::abs(expected))) << k;
        mean[c * D + r] += information / count;
      }
  }
  // A quotient of sums over six rows, so it is unbiased only approximately, within a sixth.
  for (std::size_t i = 0; i < 12; ++i) {
    const Vector g = regression.row_gradient(i, here);
    for (std::size_t c = 0; c < D; ++c) {
      first[c] += g[c];
      for (std::size_t r = 0; r < D; ++r) truth[c * D + r] += g[c] * g[r];
    }
  }
  for (std::size_t d = 0; d < D; ++d) {
    const double expected = truth[d * D + d] - first[d] * first[d] / 12.0;
    EXPECT_NEAR(mean[d * D + d], expected, expected / 6.0);
  }
}

}  // namespace
}  // namespace sgmcmc::testing
