// On non-Gaussian targets, the bias of every sampler must vanish with the step: estimates at a step, half and a quarter
// of it are extrapolated to 0 and compared with the truth. The bias is linear in epsilon for sgld, baoab and the
// splitting form of sghmc (where epsilon is the squared leapfrog step), and linear in sqrt(epsilon) for sgnht, whose
// published scheme is of first order in time. The test must reject errors that leave a bias at step size 0.
#include "dynamics/chains.hpp"
#include "dynamics/targets.hpp"
#include "statistics/significance.hpp"

#include <gtest/gtest.h>

#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>

#include <cmath>
#include <functional>
#include <memory>
#include <ostream>
#include <string>

namespace sgmcmc::testing {
namespace {

constexpr double false_alarm_rate = 1e-4;  // of each test
constexpr std::size_t copies = 256;

/// A target and one quantity with a known expectation.
struct Problem {
  std::string name;
  double step;  // the coarsest epsilon
  std::function<std::unique_ptr<GradientEstimator>()> make;
  std::size_t stride;  // parameters per copy
  std::function<double(const double*)> quantity;
  double truth;
  std::uint64_t iterations = 4000;  // at the coarsest step
};

/// Expectation under a one-dimensional log density, by the trapezoidal rule.
template <class LogDensity, class Quantity>
double expectation(LogDensity&& log_density, Quantity&& quantity) {
  double total = 0.0, weighted = 0.0;
  for (double x = -30.0; x <= 30.0; x += 0.002) {
    const double weight = std::exp(log_density(x));
    total += weight;
    weighted += weight * quantity(x);
  }
  return weighted / total;
}

template <class Score>
auto scalar(Score score) {
  return [=] { return std::make_unique<ScalarTarget<Score>>(copies, 1.0, score); };
}

Problem student() {
  const auto square = [](double x) { return (x - 0.5) * (x - 0.5); };
  return {"student",
          0.4,
          scalar(StudentLocation{}),
          1,
          [=](const double* x) { return square(x[0]); },
          expectation([](double x) { return StudentLocation{}.log_density(x); }, square)};
}

Problem mixture() {
  const auto square = [](double x) { return x * x; };
  return {"mixture",
          0.3,
          scalar(TwoNormals{}),
          1,
          [=](const double* x) { return square(x[0]); },
          0.6 * (1.0 + 0.64) + 0.4 * (1.44 + 0.36)};
}

Problem banana() {
  return {"banana",
          0.4,
          [] { return std::make_unique<BananaTarget>(copies, 1.0); },
          2,
          [](const double* x) { return x[1] * x[1]; },
          1.0 + 2.0 * BananaTarget::bend * BananaTarget::bend};
}

Problem log_gamma(bool jacobian = true) {
  // Not the mean of exp(theta): that is correct at every step size, because a stationary chain has mean gradient 0.
  const double centre = boost::math::digamma(3.0);
  return {"log_gamma",
          0.25,
          scalar(LogGamma{3.0, jacobian}),
          1,
          [=](const double* x) { return (x[0] - centre) * (x[0] - centre); },
          boost::math::trigamma(3.0)};
}

Problem logistic(bool scale_twice = false) {
  const LogisticTarget target(1);
  double total = 0.0, mean_a = 0.0, mean_b = 0.0, squares = 0.0;
  const double top = target.log_density(0.9, -0.3);
  for (double a = -0.6; a <= 2.4; a += 0.05)
    for (double b = -1.8; b <= 1.2; b += 0.05) {
      const double weight = std::exp(target.log_density(a, b) - top);
      total += weight;
      mean_a += weight * a;
      mean_b += weight * b;
      squares += weight * (a * a + b * b);
    }
  mean_a /= total;
  mean_b /= total;
  return {"logistic",
          0.012,
          [=] { return std::make_unique<LogisticTarget>(copies / 4, scale_twice); },
          2,
          [=](const double* x) { return (x[0] - mean_a) * (x[0] - mean_a) + (x[1] - mean_b) * (x[1] - mean_b); },
          squares / total - mean_a * mean_a - mean_b * mean_b,
          1000};
}

using MakeSampler = std::function<std::unique_ptr<Dynamics>(double step, std::size_t dimension)>;

struct Sampler {
  std::string name;
  double step_factor;  // relative to the step of the problem, for stability
  double order;        // the bias is a power series in epsilon^order
  MakeSampler make;
};

Sampler sgld() {
  return {"sgld", 1.0, 1.0,
          [](double step, std::size_t d) { return make_dynamics(SgldOptions{.step_size = step}, d); }};
}

Sampler sghmc() {
  return {"sghmc", 0.35, 1.0, [](double step, std::size_t d) {
            return make_dynamics(SghmcOptions{.step_size = step, .friction = 0.1, .trajectory_length = 3}, d);
          }};
}

Sampler baoab() {
  // Friction per step is fixed, so that the relative size of gradient noise falls with epsilon.
  return {"baoab", 0.5, 1.0, [](double step, std::size_t d) {
            return make_dynamics(BaoabOptions{.step_size = step, .friction = 1.0}, d);
          }};
}

Sampler sgnht() {
  // Diffusion per unit of time, sqrt(epsilon), is fixed: with a fixed `diffusion` the bias would not vanish.
  return {"sgnht", 0.2, 0.5, [](double step, std::size_t d) {
            return make_dynamics(SgnhtOptions{.step_size = step, .diffusion = 0.5 * std::sqrt(step)}, d);
          }};
}

Estimate estimate_at(const Problem& problem, const MakeSampler& make, double step, std::uint64_t iterations) {
  const auto target = problem.make();
  const auto dynamics = make(step, target->dimension());
  const auto averages = time_averages(
      *dynamics, *target, target->dimension() / problem.stride, iterations / 10, iterations,
      [&](std::span<const double> theta, std::span<double> sums) {
        for (std::size_t c = 0; c < sums.size(); ++c) sums[c] += problem.quantity(theta.data() + c * problem.stride);
      },
      static_cast<std::uint64_t>(1.0 / step));
  return mean_of_replicates(averages);
}

struct Verdict {
  double bias_z;      // of the bias at the coarsest step: must be large
  double too_slow_z;  // of the bias at half the step exceeding 3/4 of the bias at the full step
  double too_fast_z;  // of the bias at half the step being below 1/4 of it
  double limit_z;     // of the extrapolation to step 0 against the truth: must be small
  std::string text;
};

Verdict judge(const Problem& problem, const Sampler& sampler) {
  // Halves epsilon^order twice, with chains of equal length in time.
  const double step = sampler.step_factor * problem.step;
  const double ratio = std::pow(0.5, 1.0 / sampler.order);
  const std::uint64_t n = problem.iterations;
  const Estimate coarse = estimate_at(problem, sampler.make, step, n);
  const Estimate middle = estimate_at(problem, sampler.make, step * ratio, 2 * n);
  const Estimate fine = estimate_at(problem, sampler.make, step * ratio * ratio, 4 * n);
  const Estimate limit = combine(1.0, combine(8.0 / 3.0, fine, -2.0, middle), 1.0 / 3.0, coarse);
  const double sign = coarse.value > problem.truth ? 1.0 : -1.0;
  Verdict verdict{};
  verdict.bias_z = coarse.z_score(problem.truth);
  verdict.too_slow_z = sign * combine(1.0, middle, -0.75, coarse).z_score(0.25 * problem.truth);
  verdict.too_fast_z = -sign * combine(1.0, middle, -0.25, coarse).z_score(0.75 * problem.truth);
  verdict.limit_z = limit.z_score(problem.truth);
  verdict.text = sampler.name + " on " + problem.name + ": truth " + std::to_string(problem.truth) + ", at the steps " +
                 std::to_string(coarse.value) + " " + std::to_string(middle.value) + " " + std::to_string(fine.value) +
                 ", at 0 " + std::to_string(limit.value) + " +- " + std::to_string(limit.standard_error);
  return verdict;
}

const double threshold = z_threshold(false_alarm_rate, 3);

struct Case {
  Sampler sampler;
  Problem problem;
  friend void PrintTo(const Case& c, std::ostream* out) { *out << c.sampler.name << " on " << c.problem.name; }
};

class Bias : public ::testing::TestWithParam<Case> {};

TEST_P(Bias, StepHalved_VanishesInFirstOrder) {
  const Verdict verdict = judge(GetParam().problem, GetParam().sampler);
  EXPECT_GT(std::abs(verdict.bias_z), 6.0) << verdict.text;
  EXPECT_LT(verdict.too_slow_z, threshold) << verdict.text;
  EXPECT_LT(verdict.too_fast_z, threshold) << verdict.text;
  EXPECT_LT(std::abs(verdict.limit_z), threshold) << verdict.text;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Sampler& sampler : {sgld(), sghmc(), baoab(), sgnht()})
    for (const Problem& problem : {student(), mixture(), banana(), log_gamma(), logistic()})
      all.push_back({sampler, problem});
  return all;
}

INSTANTIATE_TEST_SUITE_P(EveryTarget, Bias, ::testing::ValuesIn(cases()),
                         [](const auto& which) { return which.param.sampler.name + "_" + which.param.problem.name; });

TEST(BiasMutants, JacobianForgotten_IsRejected) {
  EXPECT_GT(std::abs(judge(log_gamma(false), sgld()).limit_z), 3 * threshold);
}

TEST(BiasMutants, MinibatchScaledTwice_IsRejected) {
  EXPECT_GT(std::abs(judge(logistic(true), sgld()).limit_z), 3 * threshold);
}

TEST(BiasMutants, NoiseOfTheWrongScale_IsRejected) {
  const Sampler loud{"loud", 1.0, 1.0, [](double step, std::size_t dimension) -> std::unique_ptr<Dynamics> {
                       return std::make_unique<HandWritten>(
                           dimension, [=](std::vector<double>& theta, GradientEstimator& estimator, std::uint64_t t) {
                             std::vector<double> gradient(theta.size()), noise(theta.size());
                             estimator.estimate(theta, t, gradient);
                             fill_normal({1, 0, t, Purpose::noise}, noise);
                             for (std::size_t j = 0; j < theta.size(); ++j)
                               theta[j] += 0.5 * step * gradient[j] + std::sqrt(1.2 * step) * noise[j];
                           });
                     }};
  EXPECT_GT(std::abs(judge(student(), loud).limit_z), threshold);
}

}  // namespace
}  // namespace sgmcmc::testing
