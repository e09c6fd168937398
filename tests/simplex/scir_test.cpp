// scir: mean and variance after any number of steps are those of thesis corollary 5.4.2, and with known counts its
// stationary distribution is the gamma distribution; the tests must reject steps with planted errors.
#include "simplex/kernels.hpp"

#include "statistics/significance.hpp"

#include <boost/math/special_functions/gamma.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace sgmcmc {
namespace {

using testing::Estimate;
using testing::z_threshold;

/// Moves log_theta by one step under pseudo-counts a.
using Step = std::function<void(std::vector<double>& log_theta, const std::vector<double>& a, double h,
                                std::uint64_t iteration)>;

void library_step(std::vector<double>& log_theta, const std::vector<double>& a, double h, std::uint64_t iteration) {
  SimplexKernel kernel(SimplexMethod::scir, {a.size(), 1});
  ThreadPool pool(1);
  ASSERT_TRUE(kernel.step({log_theta, a, 0.0, h, StreamKey{7, 0, iteration, Purpose::noise}}, pool));
}

/// The same with the numbers that a mistake would change.
Step written_out(std::function<double(double)> poisson_factor, std::function<double(double)> scale,
                 double extra_shape = 0.0) {
  return [=](std::vector<double>& log_theta, const std::vector<double>& a, double h, std::uint64_t iteration) {
    std::vector<double> mean(a.size()), poisson(a.size()), shape(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) mean[i] = std::exp(log_theta[i]) * poisson_factor(h);
    const StreamKey key{7, 0, iteration, Purpose::noise};
    fill_poisson(key, mean, poisson);
    for (std::size_t i = 0; i < a.size(); ++i) shape[i] = a[i] + poisson[i] + extra_shape;
    fill_log_gamma(key, shape, log_theta, a.size());
    for (double& x : log_theta) x += std::log(scale(h));
  };
}

double right_factor(double h) { return std::exp(-h) / -std::expm1(-h); }
double right_scale(double h) { return -std::expm1(-h); }

struct Case {
  double a, h, start, spread;  // estimates of a are a (1 - spread) or a (1 + spread), as likely
  int steps;
  std::size_t replicates;
};

/// Second and fourth cumulant of the SCIR process after all steps, from the generating function of theorem 5.4.1.
struct Law {
  double mean, variance, fourth_cumulant;
};
Law law_of(const Case& c) {
  const double total = -std::expm1(-c.steps * c.h), lambda = c.start * std::exp(-c.steps * c.h) / total;
  Law law{c.start * std::exp(-c.steps * c.h) + c.a * total, 0, 6 * std::pow(total, 4) * (c.a + 4 * lambda)};
  const double variance_of_estimate = std::pow(c.a * c.spread, 2);
  law.variance = 2 * c.start * (std::exp(-c.steps * c.h) - std::exp(-2 * c.steps * c.h)) + c.a * total * total +
                 -std::expm1(-2 * c.steps * c.h) * -std::expm1(-c.h) / (1 + std::exp(-c.h)) * variance_of_estimate;
  for (int m = 1; m <= c.steps; ++m) {
    const auto power = [&](int k) {
      return std::pow(-std::expm1(-m * c.h), k) - std::pow(-std::expm1(-(m - 1) * c.h), k);
    };
    law.fourth_cumulant += 24 * (variance_of_estimate / 2 * (2 * power(1) * power(3) / 3 + power(2) * power(2) / 4) -
                                 variance_of_estimate * variance_of_estimate * std::pow(power(1), 4) / 12);
  }
  return law;
}

struct Scores {
  double mean, variance;
};
Scores scores_of(const Case& c, const Step& step) {
  const std::size_t n = c.replicates;
  std::vector<double> log_theta(n, std::log(c.start)), a(n), uniform(n);
  for (int m = 0; m < c.steps; ++m) {
    fill_uniform({11, 0, static_cast<std::uint64_t>(m), Purpose::minibatch}, uniform);
    for (std::size_t i = 0; i < n; ++i) a[i] = c.a * (1 + (uniform[i] < 0.5 ? -c.spread : c.spread));
    step(log_theta, a, c.h, static_cast<std::uint64_t>(m));
  }
  const Law law = law_of(c);
  const auto count = static_cast<double>(n);
  double sum = 0, squares = 0;
  for (const double x : log_theta) {
    const double centred = std::exp(x) - law.mean;  // about the known mean: no degree of freedom is lost
    sum += centred;
    squares += centred * centred;
  }
  const double error = std::sqrt((law.fourth_cumulant + 2 * law.variance * law.variance) / count);
  return {sum / count / std::sqrt(law.variance / count), (squares / count - law.variance) / error};
}

std::vector<Case> grid() {
  std::vector<Case> cases;
  for (const double a : {0.01, 0.1, 1.0, 10.0, 800.0})
    for (const double h : {0.02, 0.5, 2.0})
      for (const double spread : {0.0, 0.9})  // variance of the estimate: 0, or 0.81 a^2
        cases.push_back({a, h, a < 5 ? 1.0 : 0.5 * a, spread, 4, a < 0.5 ? std::size_t{40000} : std::size_t{5000}});
  return cases;
}

TEST(Scir, MomentsOverAGrid_AreThoseOfTheCorollary) {
  const auto cases = grid();
  const double limit = z_threshold(1e-4, 2 * cases.size());  // false alarms: 1 in 10,000 for the whole grid
  for (const Case& c : cases) {
    const Scores z = scores_of(c, library_step);
    EXPECT_LT(std::abs(z.mean), limit) << "mean, a = " << c.a << ", h = " << c.h << ", spread " << c.spread;
    EXPECT_LT(std::abs(z.variance), limit) << "variance, a = " << c.a << ", h = " << c.h << ", spread " << c.spread;
  }
}

TEST(Scir, MomentsOfStepsWithMistakes_AreRejected) {
  const std::vector<Case> cases = {{0.1, 0.5, 1, 0.9, 3, 10000}, {10, 0.5, 5, 0.9, 3, 4000}};
  const double limit = z_threshold(1e-4, 2 * grid().size());
  const auto worst = [&](const Step& step) {
    double found = 0;
    for (const Case& c : cases) {
      const Scores z = scores_of(c, step);
      found = std::max({found, std::abs(z.mean), std::abs(z.variance)});
    }
    return found;
  };
  EXPECT_LT(worst(written_out(right_factor, right_scale)), limit);
  EXPECT_GT(worst(written_out([](double h) { return 1 / -std::expm1(-h); }, right_scale)), limit) << "no decay";
  EXPECT_GT(worst(written_out(right_factor, [](double h) { return h; })), limit) << "Euler's scale";
  EXPECT_GT(
      worst(written_out([](double h) { return 2 * right_factor(h); }, [](double h) { return right_scale(h) / 2; })),
      limit)
      << "chi-squared taken for gamma";
  EXPECT_GT(worst(written_out(right_factor, right_scale, 0.5)), limit) << "shape off by a half";
}

/// P(Gamma(a) <= e^x), also where e^x is below the smallest double: x^a / Gamma(a + 1) there.
double gamma_cdf(double a, double x) {
  if (x < -600) return std::exp(a * x - std::lgamma(a + 1));
  return boost::math::gamma_p(a, std::exp(x));
}

/// sqrt(n) times the Kolmogorov distance of log_theta from log Gamma(a).
double kolmogorov(std::vector<double> log_theta, double a) {
  std::sort(log_theta.begin(), log_theta.end());
  const auto n = static_cast<double>(log_theta.size());
  double distance = 0;
  for (std::size_t i = 0; i < log_theta.size(); ++i) {
    const double p = gamma_cdf(a, log_theta[i]), below = static_cast<double>(i) / n;
    distance = std::max({distance, std::abs(p - below), std::abs(below + 1 / n - p)});
  }
  return distance * std::sqrt(n);
}

// P(K > 2.2) = 2 exp(-2 * 2.2^2) = 1.3e-4 for each comparison.
constexpr double kolmogorov_limit = 2.2;

TEST(Scir, KnownCounts_GammaLawIsStationaryWhateverTheStep) {
  for (const double a : {0.01, 0.1, 2.0, 300.0})
    for (const double h : {0.05, 1.0}) {
      const std::vector<double> pseudo_counts(5000, a);
      std::vector<double> log_theta(5000);
      fill_log_gamma({3, 0, 0, Purpose::initial}, pseudo_counts, log_theta);
      const std::vector<double> before = log_theta;
      for (std::uint64_t t = 0; t < 5; ++t) library_step(log_theta, pseudo_counts, h, t);
      EXPECT_NE(before, log_theta);
      EXPECT_LT(kolmogorov(log_theta, a), kolmogorov_limit) << "a = " << a << ", h = " << h;
    }
}

TEST(Scir, KnownCounts_LawIsReachedFromFarAway) {
  const double a = 0.05;
  const std::vector<double> pseudo_counts(5000, a);
  std::vector<double> log_theta(5000, std::log(100.0));
  for (std::uint64_t t = 0; t < 30; ++t) library_step(log_theta, pseudo_counts, 1.0, t);
  EXPECT_LT(kolmogorov(log_theta, a), kolmogorov_limit);
}

TEST(Scir, LawsOfOtherSteps_AreRejected) {
  const double a = 0.1, h = 0.5;
  const std::vector<double> pseudo_counts(5000, a);
  const auto law_after = [&](const Step& step) {
    std::vector<double> log_theta(5000);
    fill_log_gamma({3, 0, 0, Purpose::initial}, pseudo_counts, log_theta);
    for (std::uint64_t t = 0; t < 5; ++t) step(log_theta, pseudo_counts, h, t);
    return kolmogorov(log_theta, a);
  };
  EXPECT_LT(law_after(written_out(right_factor, right_scale)), kolmogorov_limit);
  EXPECT_GT(law_after(written_out(right_factor, [](double step) { return step; })), kolmogorov_limit);
  EXPECT_GT(law_after(written_out([](double) { return 0.5; }, right_scale)), kolmogorov_limit);
  const Step mirrored = [](std::vector<double>& log_theta, const std::vector<double>& counts, double step,
                           std::uint64_t iteration) {
    SimplexKernel kernel(SimplexMethod::sgrld, {counts.size(), 1});
    ThreadPool pool(1);
    const double total = 0.1 * static_cast<double>(counts.size());  // all of it prior
    ASSERT_TRUE(kernel.step({log_theta, counts, total, step, StreamKey{7, 0, iteration, Purpose::noise}}, pool));
  };
  EXPECT_GT(law_after(mirrored), kolmogorov_limit) << "the Langevin step misses small values (thesis fig. 5.2.1)";
}

TEST(Scir, HugeAndTinyValues_StayFinite) {
  for (const double a : {1e-6, 0.01, 1e9}) {
    const std::vector<double> pseudo_counts(64, a);
    for (const double start : {-1e6, -700.0, 0.0, 40.0}) {
      std::vector<double> log_theta(64, start);
      for (std::uint64_t t = 0; t < 3; ++t) library_step(log_theta, pseudo_counts, 1e-3, t);
      for (const double x : log_theta) ASSERT_TRUE(std::isfinite(x)) << a << ' ' << start;
    }
  }
}

}  // namespace
}  // namespace sgmcmc
