// Zero-variance control variates: exact on normal targets for any draws, invariant under linear transforms, mergeable,
// unbiased with noisy gradients, with correct error estimates.
#include "statistics/significance.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/random.hpp>
#include <sgmcmc/zero_variance.hpp>

#include <gtest/gtest.h>
#include <Eigen/Dense>

#include <cmath>
#include <vector>

namespace sgmcmc::testing {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::size_t dimension = 3;

std::span<const double> span_of(const VectorXd& v) { return {v.data(), static_cast<std::size_t>(v.size())}; }

VectorXd normals(std::size_t count, std::uint64_t which) {
  VectorXd values(static_cast<Eigen::Index>(count));
  fill_normal({5, 0, which, Purpose::data}, std::span<double>(values.data(), count));
  return values;
}

/// A normal distribution, and points unrelated to it.
struct NormalTarget {
  VectorXd mean = VectorXd{{1.5, -20.0, 0.25}};
  MatrixXd covariance = MatrixXd{{2.0, 0.6, -0.3}, {0.6, 1.0, 0.2}, {-0.3, 0.2, 0.5}};

  VectorXd gradient(const VectorXd& theta) const { return covariance.ldlt().solve(mean - theta); }
  VectorXd point(std::uint64_t which) const {
    const VectorXd z = normals(dimension, which);
    return mean + VectorXd{{3.0, 1.0, -2.0}} + z.cwiseAbs2();
  }
};

TEST(ZeroVariance, NormalTarget_LinearGivesTheExactMeanFromAnyDraws) {
  const NormalTarget target;
  ZeroVariance sums(ZeroVarianceForm::linear, dimension, dimension);
  for (std::uint64_t k = 0; k < 40; ++k) {
    const VectorXd theta = target.point(k);
    sums.add(span_of(theta), span_of(target.gradient(theta)), span_of(theta));
  }
  const auto estimates = sums.estimates();
  for (std::size_t d = 0; d < dimension; ++d) {
    EXPECT_NEAR(estimates[d].mean, target.mean[static_cast<Eigen::Index>(d)], 1e-12);
    EXPECT_LT(estimates[d].mcse, 1e-12);
    EXPECT_GT(estimates[d].gain, 1e20);
  }
}

TEST(ZeroVariance, NormalTarget_QuadraticGivesTheExactSecondMoments) {
  const NormalTarget target;
  ZeroVariance sums(ZeroVarianceForm::quadratic, dimension, 3);
  for (std::uint64_t k = 0; k < 3000; ++k) {  // batches of several draws, too
    const VectorXd theta = target.point(k), away = theta - target.mean;
    const VectorXd f{{away[0] * away[0], away[0] * away[2], theta[1]}};
    sums.add(span_of(theta), span_of(target.gradient(theta)), span_of(f));
  }
  const auto estimates = sums.estimates();
  EXPECT_NEAR(estimates[0].mean, target.covariance(0, 0), 1e-10);
  EXPECT_NEAR(estimates[1].mean, target.covariance(0, 2), 1e-10);
  EXPECT_NEAR(estimates[2].mean, target.mean[1], 1e-10);
}

TEST(ZeroVariance, AffineMapOfTheParameters_ChangesNothing) {
  const NormalTarget target;
  const MatrixXd affine{{2.0, 0.3, 0.0}, {-1.0, 0.5, 0.2}, {0.0, 4.0, -3.0}};
  // The Laplacian of Q is invariant under rotation of the coordinates, not under scaling.
  const MatrixXd similar = 5.0 * MatrixXd(affine.householderQr().householderQ());
  const VectorXd shift{{10.0, 0.0, -7.0}};
  for (const auto form : {ZeroVarianceForm::linear, ZeroVarianceForm::quadratic}) {
    const MatrixXd& map = form == ZeroVarianceForm::linear ? affine : similar;
    ZeroVariance here(form, dimension, 1), there(form, dimension, 1);
    for (std::uint64_t k = 0; k < 100; ++k) {
      const VectorXd theta = target.point(k), gradient = target.gradient(theta) + normals(dimension, 5000 + k);
      const VectorXd f{{std::exp(0.1 * theta[0])}}, mapped = map * theta + shift;
      here.add(span_of(theta), span_of(gradient), span_of(f), 1.0 + 0.01 * static_cast<double>(k));
      const VectorXd mapped_gradient = map.transpose().partialPivLu().solve(gradient);
      there.add(span_of(mapped), span_of(mapped_gradient), span_of(f), 1.0 + 0.01 * static_cast<double>(k));
    }
    EXPECT_NEAR(here.estimates()[0].mean, there.estimates()[0].mean, 1e-10);
    EXPECT_NEAR(here.estimates()[0].mcse, there.estimates()[0].mcse, 1e-10);
  }
}

TEST(ZeroVariance, MergedChains_GiveTheMeanOfTheWhole) {
  const NormalTarget target;
  for (const auto form : {ZeroVarianceForm::linear, ZeroVarianceForm::quadratic}) {
    ZeroVariance whole(form, dimension, 1), first(form, dimension, 1), second(form, dimension, 1), third = second;
    for (std::uint64_t k = 0; k < 90; ++k) {
      const VectorXd theta = target.point(k), gradient = target.gradient(theta) + normals(dimension, 5000 + k);
      const VectorXd f{{std::exp(0.1 * theta[0])}};
      ZeroVariance& part = k < 20 ? first : k < 50 ? second : third;
      for (ZeroVariance* sums : {&whole, &part}) sums->add(span_of(theta), span_of(gradient), span_of(f), 0.3);
    }
    second.merge(third);  // their centres differ
    first.merge(second);
    first.merge(ZeroVariance(form, dimension, 1));
    EXPECT_EQ(first.draws(), 90u);
    EXPECT_NEAR(first.estimates()[0].mean, whole.estimates()[0].mean, 1e-11);
  }
}

TEST(ZeroVariance, StoredDraws_GiveWhatTheRunningSumsGive) {
  const NormalTarget target;
  std::vector<double> positions, gradients, values, weights;
  ZeroVariance sums(ZeroVarianceForm::linear, dimension, 1);
  for (std::uint64_t k = 0; k < 700; ++k) {
    const VectorXd theta = target.point(k), gradient = target.gradient(theta) + normals(dimension, 5000 + k);
    const double f = std::exp(0.1 * theta[0]), weight = 1.0 / (1.0 + 0.01 * static_cast<double>(k));
    positions.insert(positions.end(), theta.begin(), theta.end());
    gradients.insert(gradients.end(), gradient.begin(), gradient.end());
    values.push_back(f);
    weights.push_back(weight);
    sums.add(span_of(theta), span_of(gradient), {&f, 1}, weight);
  }
  const std::size_t lengths[] = {700};
  const auto stored =
      zero_variance(ZeroVarianceForm::linear, dimension, positions, gradients, values, lengths, weights);
  EXPECT_EQ(stored[0].mean, sums.estimates()[0].mean);
  EXPECT_EQ(stored[0].mcse, sums.estimates()[0].mcse);
  weights.pop_back();
  EXPECT_THROW(zero_variance(ZeroVarianceForm::linear, dimension, positions, gradients, values, lengths, weights),
               OptionError);
}

TEST(ZeroVariance, NothingToRegressOn_LeavesTheWeightedMean) {
  ZeroVariance sums(ZeroVarianceForm::linear, 1, 1);
  double total = 0, mean = 0;
  for (std::uint64_t k = 0; k < 2000; ++k) {
    const double f = normals(1, k)[0], weight = 1.0 / (1.0 + static_cast<double>(k)), none = 0;
    sums.add({&f, 1}, {&none, 1}, {&f, 1}, weight);
    total += weight;
    mean += weight * f;
  }
  EXPECT_NEAR(sums.estimates()[0].mean, mean / total, 1e-13);
  EXPECT_NEAR(sums.estimates()[0].gain, 1.0, 1e-9);
}

/// An autoregressive chain with the law N(0, 1) and noisy gradients of it; f has mean 0.3.
ZeroVarianceEstimate estimate_of_chain(std::uint64_t seed, double correlation, double noise_sd, double gradient_bias,
                                       double* plain = nullptr) {
  constexpr std::size_t length = 4000;
  const VectorXd innovations = normals(length + 1, 10 * seed), noise = normals(length, 10 * seed + 1);
  ZeroVariance sums(ZeroVarianceForm::linear, 1, 1);
  double theta = innovations[length], sum = 0;
  for (std::size_t t = 0; t < length; ++t) {
    const auto i = static_cast<Eigen::Index>(t);
    theta = correlation * theta + std::sqrt(1.0 - correlation * correlation) * innovations[i];
    const double gradient = gradient_bias - theta + noise_sd * noise[i], f = theta + 0.3 * theta * theta;
    sums.add({&theta, 1}, {&gradient, 1}, {&f, 1});
    sum += f;
  }
  if (plain) *plain = sum / length;
  return sums.estimates()[0];
}

// Each of the comparisons below raises a false alarm with this probability.
constexpr double false_alarm_rate = 1e-5;

struct Replicates {
  std::vector<double> errors, scaled, plain;  // scaled: in units of the estimated error
};
Replicates replicate(double correlation, double noise_sd, double gradient_bias) {
  Replicates result;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    double plain = 0;
    const auto estimate = estimate_of_chain(seed, correlation, noise_sd, gradient_bias, &plain);
    result.errors.push_back(estimate.mean - 0.3);
    result.scaled.push_back(std::pow((estimate.mean - 0.3) / estimate.mcse, 2));
    result.plain.push_back(plain - 0.3);
  }
  return result;
}
double mean_square(const std::vector<double>& values) {
  double sum = 0;
  for (const double x : values) sum += x * x;
  return sum / static_cast<double>(values.size());
}

TEST(ZeroVariance, NoisyGradients_AddNoBiasAndErrorsAreAsEstimated) {
  const double threshold = z_threshold(false_alarm_rate);
  const auto found = replicate(0.9, 1.0, 0.0);
  const auto mean = mean_of_replicates(found.errors);
  EXPECT_LT(std::abs(mean.value / mean.standard_error), threshold);
  // Squared errors divided by their estimates are 1 on average, within a fifth, because errors are estimated.
  const auto size = mean_of_replicates(found.scaled);
  EXPECT_LT(std::abs(size.value - 1.0), 0.2 + threshold * size.standard_error);
  EXPECT_GT(mean_square(found.plain), 4.0 * mean_square(found.errors));
}

TEST(ZeroVariance, GradientsOfAnotherTarget_AreSeenAsBias) {  // the mutant that the test above rejects
  const auto mean = mean_of_replicates(replicate(0.9, 1.0, 0.05).errors);
  EXPECT_GT(std::abs(mean.value / mean.standard_error), z_threshold(false_alarm_rate));
}

TEST(ZeroVariance, SlowChainWithNoisyGradients_IsNotHeldBackByTheNoiseOfSingleDraws) {
  // Coefficients of single draws would be halved by this noise, and the gain would be at most 4.
  const auto found = replicate(0.98, 1.0, 0.0);
  EXPECT_GT(mean_square(found.plain), 10.0 * mean_square(found.errors));
  EXPECT_GT(estimate_of_chain(1, 0.98, 1.0, 0.0).gain, 6.0);
}

TEST(ZeroVariance, FewDraws_SayNothing) {
  ZeroVariance sums(ZeroVarianceForm::quadratic, dimension, 1);
  EXPECT_EQ(sums.regressors(), 9u);
  const NormalTarget target;
  for (std::uint64_t k = 0; k < 20; ++k) {
    const VectorXd theta = target.point(k);
    sums.add(span_of(theta), span_of(target.gradient(theta)), span_of(theta).first(1));
  }
  EXPECT_TRUE(std::isnan(sums.estimates()[0].mean));
}

TEST(ZeroVariance, WhatCannotBe_IsRefused) {
  EXPECT_THROW(ZeroVariance(ZeroVarianceForm::quadratic, 100, 1), OptionError);
  EXPECT_THROW(ZeroVariance(ZeroVarianceForm::linear, 1001, 1), OptionError);
  EXPECT_THROW(ZeroVariance(ZeroVarianceForm::linear, 10, 1'000'000), OptionError);
  EXPECT_THROW(ZeroVariance(ZeroVarianceForm::automatic, 1, 1), OptionError);
  ZeroVariance sums(ZeroVarianceForm::linear, 1, 1), other(ZeroVarianceForm::quadratic, 1, 1), same = sums;
  const double one = 1;
  const std::vector<double> two(2, 1.0);
  EXPECT_THROW(sums.add(two, {&one, 1}, {&one, 1}), OptionError);
  EXPECT_THROW(sums.add({&one, 1}, {&one, 1}, {&one, 1}, -1.0), OptionError);
  EXPECT_THROW(sums.merge(other), OptionError);
  sums.add({&one, 1}, {&one, 1}, {&one, 1});
  same.add({&one, 1}, {&one, 1}, {&one, 1});
  sums.merge(same);
  EXPECT_THROW(sums.add({&one, 1}, {&one, 1}, {&one, 1}), OptionError);
}

}  // namespace
}  // namespace sgmcmc::testing
