// Runs on non-Gaussian posteriors: logistic regression against numerical integration, and positive parameters, which
// reveal a missing Jacobian.
#include "run/models.hpp"
#include "statistics/significance.hpp"

#include <sgmcmc/sample.hpp>

#include <gtest/gtest.h>

#include <boost/math/distributions/students_t.hpp>

#include <functional>
#include <ostream>

namespace sgmcmc::testing {
namespace {

constexpr double false_alarm_rate = 1e-4;  // of each test
constexpr std::uint32_t chains = 48;

/// Threshold of |t| for a mean of one value per chain.
double t_threshold(std::size_t comparisons) {
  const boost::math::students_t distribution(chains - 1);
  return boost::math::quantile(boost::math::complement(distribution, 0.5 * false_alarm_rate / double(comparisons)));
}

// Logistic regression -------------------------------------------------------------------------------------------------
constexpr std::int64_t copies = 8;  // of the two coefficients, in one model

/// Copies of a logistic regression with 300 rows and a N(0, 1) prior; weight multiplies the likelihood: 1 except in
/// mutants.
Model copied_regression(const LogisticData& data, double weight) {
  Model model(data.dataset());
  const auto beta = model.parameter("beta", {copies, 2});
  model.prior(std_normal_lpdf(beta));
  model.likelihood(weight * bernoulli_logit_lpmf(model.row("y"), matmul(beta, model.row("x"))));
  return model;
}

struct Truth {
  double mean[2];
  double spread;  // sum of the two variances
};

Truth integrate(const LogisticData& data) {
  const auto log_density = [&](double a, double b) {
    double sum = -0.5 * (a * a + b * b);
    for (std::size_t i = 0; i < data.rows; ++i) {
      const double eta = a * data.x[2 * i] + b * data.x[2 * i + 1];
      sum += data.y[i] * eta - std::log1p(std::exp(eta));
    }
    return sum;
  };
  // Posterior standard deviations are near 0.15: at a spacing of 0.05, the trapezoidal rule is exact to many digits.
  const double top = log_density(1.0, -0.5);
  double total = 0.0, a1 = 0.0, b1 = 0.0, squares = 0.0;
  for (double a = -0.5; a <= 2.5; a += 0.05)
    for (double b = -2.0; b <= 1.0; b += 0.05) {
      const double weight = std::exp(log_density(a, b) - top);
      total += weight;
      a1 += weight * a;
      b1 += weight * b;
      squares += weight * (a * a + b * b);
    }
  a1 /= total;
  b1 /= total;
  return {{a1, b1}, squares / total - a1 * a1 - b1 * b1};
}

struct Method {
  std::string name;
  double order;                    // the bias is a power series in step^order
  double step;                     // the coarsest
  std::uint64_t iterations = 300;  // at the coarsest step
  friend void PrintTo(const Method& m, std::ostream* out) { *out << m.name; }
};

Estimate spread_at(const Model& model, const Truth& truth, const Method& method, double step,
                   std::uint64_t iterations) {
  SampleOptions options;
  options.method(method.name).step_size(step);
  if (auto* sgnht = std::get_if<SgnhtOptions>(&options.sampler)) sgnht->diffusion = 2.0 * std::sqrt(step);
  if (auto* sghmc = std::get_if<SghmcOptions>(&options.sampler)) {
    sghmc->friction = 0.1;
    sghmc->trajectory_length = 3;
  }
  if (auto* baoab = std::get_if<BaoabOptions>(&options.sampler)) baoab->friction = 1.0;
  options.gradient.minibatch.batch_size = 60;
  options.chains = chains;
  options.iterations = iterations;
  options.warmup = iterations / 4;
  Vector start;
  for (std::int64_t c = 0; c < copies; ++c) start.insert(start.end(), {truth.mean[0], truth.mean[1]});
  options.initial = {{"beta", start}};
  options.seed = static_cast<std::uint64_t>(1.0 / step);
  const auto result = sample(model, options);
  Vector replicates(chains, 0.0);
  for (std::uint32_t k = 0; k < chains; ++k) {
    for (std::uint64_t t = 0; t < iterations; ++t)
      for (std::size_t j = 0; j < 2 * copies; ++j) {
        const double distance = result.draws(k, t, j) - truth.mean[j % 2];
        replicates[k] += distance * distance;
      }
    replicates[k] /= static_cast<double>(iterations * copies);
  }
  return mean_of_replicates(replicates);
}

struct Verdict {
  double bias_z, shrinks_z, limit_z;
  std::string text;
};

Verdict judge(const Method& method, double weight = 1.0) {
  const LogisticData data(300, 2);
  const Truth truth = integrate(data);
  const Model model = copied_regression(data, weight);
  const double ratio = std::pow(0.5, 1.0 / method.order);
  const Estimate coarse = spread_at(model, truth, method, method.step, method.iterations);
  const Estimate middle = spread_at(model, truth, method, method.step * ratio, 2 * method.iterations);
  const Estimate fine = spread_at(model, truth, method, method.step * ratio * ratio, 4 * method.iterations);
  const Estimate limit = combine(1.0, combine(8.0 / 3.0, fine, -2.0, middle), 1.0 / 3.0, coarse);
  const double sign = coarse.value > truth.spread ? 1.0 : -1.0;
  return {std::abs(coarse.z_score(truth.spread)),
          // Whether the bias at half the step exceeds 3/4 of the bias at the full step.
          sign * combine(1.0, middle, -0.75, coarse).z_score(0.25 * truth.spread),
          std::abs(limit.z_score(truth.spread)),
          method.name + ": truth " + std::to_string(truth.spread) + ", at the steps " + std::to_string(coarse.value) +
              " " + std::to_string(middle.value) + " " + std::to_string(fine.value) + ", at 0 " +
              std::to_string(limit.value) + " +- " + std::to_string(limit.standard_error)};
}

class LogisticRegression : public ::testing::TestWithParam<Method> {};

TEST_P(LogisticRegression, StepHalved_BiasShrinksToNothing) {
  const Verdict verdict = judge(GetParam());
  EXPECT_GT(verdict.bias_z, 5.0) << verdict.text;
  EXPECT_LT(verdict.shrinks_z, t_threshold(2)) << verdict.text;
  EXPECT_LT(verdict.limit_z, t_threshold(2)) << verdict.text;
}

INSTANTIATE_TEST_SUITE_P(EverySampler, LogisticRegression,
                         ::testing::Values(Method{"sgld", 1.0, 0.012}, Method{"sghmc-cv", 1.0, 0.006, 150},
                                           Method{"baoab", 1.0, 0.006}, Method{"sgnht-svrg", 0.5, 0.004}),
                         [](const auto& which) { return which.param.name.substr(0, which.param.name.find('-')); });

TEST(LogisticRegression, LikelihoodTenPercentTooStrong_IsRejected) {
  const Verdict verdict = judge({"sghmc-cv", 1.0, 0.006, 150}, 1.1);
  EXPECT_GT(verdict.limit_z, t_threshold(2)) << verdict.text;
}

// Positive parameters -------------------------------------------------------------------------------------------------
// Poisson counts with a Gamma(3, 1) prior on the rates: with 4 rows of 2 counts in all, the posterior is Gamma(5, 5).
// The mean of the draws is the posterior mean at every step size: a stationary sgld chain has mean gradient 0, and the
// gradient is 5 - 5 rate.
constexpr std::int64_t rates = 50;

Model poisson_rates(bool with_jacobian) {
  std::vector<std::int32_t> counts(4 * rates, 0);
  for (std::size_t j = 0; j < rates; ++j) {
    counts[(j % 4) * rates + j] += 1;
    counts[(j / 4 % 4) * rates + j] += 1;
  }
  Model model(Dataset::Builder().integer("count", counts, {rates}).build());
  const auto rate = with_jacobian ? model.parameter("rate", {rates}, Constraint::lower(0))
                                  : exp(model.parameter("log_rate", {rates}));
  model.prior(gamma_lpdf(rate, 3, 1));
  model.likelihood(poisson_lpmf(model.row("count"), rate));
  return model;
}

double mean_z(const std::string& method, bool with_jacobian) {
  SampleOptions options;
  options.method(method).step_size(0.2);
  options.gradient.minibatch.batch_size = 2;
  options.iterations = 600;
  options.warmup = 100;
  options.chains = chains;
  options.thin = 2;
  const auto result = sample(poisson_rates(with_jacobian), options);
  Vector replicates(chains, 0.0);
  for (std::uint32_t k = 0; k < chains; ++k)
    for (std::size_t t = 0; t < 300; ++t)
      for (std::size_t j = 0; j < rates; ++j)
        replicates[k] += (with_jacobian ? result.draws(k, t, j) : std::exp(result.draws(k, t, j))) / (300.0 * rates);
  const Estimate mean = mean_of_replicates(replicates);
  EXPECT_LT(mean.standard_error, 0.01);
  return std::abs(mean.z_score(1.0));
}

TEST(PositiveParameter, GammaPosterior_MeanIsRight) {
  EXPECT_LT(mean_z("sgld", true), t_threshold(1));
  EXPECT_LT(mean_z("sgld-saga", true), t_threshold(1));
}

TEST(PositiveParameter, JacobianForgotten_IsRejected) { EXPECT_GT(mean_z("sgld", false), 3 * t_threshold(1)); }

}  // namespace
}  // namespace sgmcmc::testing
