// Runs pair every draw with its gradient: on a normal posterior with full gradients, the corrected means are exact.
#include "run/models.hpp"
#include "statistics/significance.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/sample.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace sgmcmc::testing {
namespace {

constexpr std::size_t dimension = 3;

const ManyRegressions& problem() {
  static const ManyRegressions regressions(dimension, true);
  return regressions;
}

SampleOptions options_for(const std::string& method) {
  SampleOptions options;
  options.method(method);
  if (!is_exact(options.sampler)) options.step_size(0.2);
  options.iterations = 300;
  options.warmup = is_exact(options.sampler) ? 50 : 0;
  options.gradient.minibatch.batch_size = 5;
  options.threads = 1;
  return options;
}

class ZeroVarianceOf : public ::testing::TestWithParam<std::string> {};

TEST_P(ZeroVarianceOf, FullGradientsOfANormalPosterior_GiveItsMean) {
  auto options = options_for(GetParam());
  options.thin = 3;
  options.chains = 2;
  options.functions = {{"contrast", sum(problem().model().parameters()[0].value)}};
  const auto result = sample(problem().model(), options);
  double total = 0;
  for (std::size_t d = 0; d < dimension; ++d) {
    EXPECT_NEAR(result.zero_variance[d].mean, problem().mean()[d], 1e-9);
    EXPECT_GT(result.zero_variance[d].gain, 1e12);
    total += problem().mean()[d];
  }
  EXPECT_NEAR(result.zero_variance_of("contrast").mean, total, 1e-9);
}
INSTANTIATE_TEST_SUITE_P(Samplers, ZeroVarianceOf,
                         ::testing::Values("sgld-full", "sghmc-full", "sgnht-full", "psgld-full", "sgfs-full-full",
                                           "sgfs-diagonal-full", "sgrld-full", "hamcmc-full", "nuts", "hmc", "mala"),
                         [](const auto& which) {
                           std::string name = which.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(ZeroVarianceOfRun, ItIsOnOrOff_DrawsAreTheSame) {
  auto options = options_for("sgld-cv");
  options.gradient.centre = problem().mean();
  const auto with = sample(problem().model(), options);
  options.zero_variance = ZeroVarianceForm::none;
  const auto without = sample(problem().model(), options);
  EXPECT_TRUE(without.zero_variance.empty());
  EXPECT_THROW(without.zero_variance_of("theta[1]"), OptionError);
  ASSERT_EQ(with.zero_variance.size(), dimension);
  for (std::size_t t = 0; t < options.iterations; ++t)
    for (std::size_t d = 0; d < dimension; ++d) ASSERT_EQ(with.draws(0, t, d), without.draws(0, t, d));
}

TEST(ZeroVarianceOfRun, DecreasingSteps_AreWeighted) {
  auto options = options_for("sgld");
  std::get<SgldOptions>(options.sampler).schedule = Schedule::polynomial(1.0, 0.5);
  options.zero_variance = ZeroVarianceForm::quadratic;
  options.iterations = 2000;
  const auto result = sample(problem().model(), options);
  for (std::size_t d = 0; d < dimension; ++d) {
    EXPECT_LT(std::abs(result.zero_variance[d].mean - problem().mean()[d]), 6.0 * result.zero_variance[d].mcse);
    EXPECT_GT(result.zero_variance[d].gain, 1.5);
  }
}

/// y_i ~ N(log s, 1), s ~ lognormal(0, 1): log s is normal, with mean m and variance v; E s = exp(m + v / 2).
TEST(ZeroVarianceOfRun, ConstrainedParameter_UsesTheGradientWithItsJacobian) {
  constexpr double false_alarm_rate = 1e-5;  // of each of two comparisons
  const Vector y = normals(10, 3);
  double sum_y = 0;
  for (const double x : y) sum_y += x;
  Model model(Dataset::Builder().real("y", y).build());
  const auto s = model.parameter("s", {}, Constraint::lower(0));
  model.prior(lognormal_lpdf(s, 0, 1));
  model.likelihood(normal_lpdf(model.row("y"), log(s), 1));
  const double v = 1.0 / 11.0, truth = std::exp(sum_y * v + 0.5 * v);
  Vector linear, quadratic, plain;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SampleOptions options;
    options.method("nuts");
    options.iterations = 400;
    options.warmup = 150;
    options.seed = seed;
    options.threads = 1;
    options.zero_variance = ZeroVarianceForm::linear;
    auto result = sample(model, options);
    plain.push_back(result.mean("s") - truth);
    linear.push_back(result.zero_variance[0].mean - truth);
    options.zero_variance = ZeroVarianceForm::quadratic;
    quadratic.push_back(sample(model, options).zero_variance[0].mean - truth);
  }
  const auto square = [](const Vector& x) {
    double total = 0;
    for (const double e : x) total += e * e;
    return total;
  };
  EXPECT_GT(square(plain), 5.0 * square(linear));
  EXPECT_GT(square(linear), 5.0 * square(quadratic));
  for (const auto& errors : {linear, quadratic}) {
    const auto mean = mean_of_replicates(errors);
    EXPECT_LT(std::abs(mean.value / mean.standard_error), z_threshold(false_alarm_rate));
  }
  // The mutant: without the Jacobian, the posterior of log s would shift by v, which changes E s by a detectable
  // amount.
  const double shift = truth * (1.0 - std::exp(-v));
  EXPECT_GT(shift, 10.0 * std::sqrt(square(quadratic) / 40.0));
}

TEST(ZeroVarianceOfRun, SamplerWithoutGradientsAtItsDraws_IsRefused) {
  auto options = options_for("laplace");
  EXPECT_TRUE(sample(problem().model(), options).zero_variance.empty());
  options.zero_variance = ZeroVarianceForm::linear;
  EXPECT_THROW(sample(problem().model(), options), OptionError);
  options = options_for("sghmc");
  std::get<SghmcOptions>(options.sampler).form = SghmcForm::plain;
  options.zero_variance = ZeroVarianceForm::linear;
  EXPECT_THROW(sample(problem().model(), options), OptionError);
}

TEST(ZeroVarianceOfRun, ManyParameters_AreLeftAloneUnlessAsked) {
  const ManyRegressions many(250, false);
  auto options = options_for("sgld");
  options.iterations = 20;
  EXPECT_TRUE(sample(many.model(), options).zero_variance.empty());
  options.zero_variance = ZeroVarianceForm::quadratic;
  EXPECT_THROW(sample(many.model(), options), OptionError);
}

}  // namespace
}  // namespace sgmcmc::testing
