// Edge cases of univariate distributions: boundaries, values outside the support, huge and tiny arguments.
#include "density/evaluate.hpp"

#include <sgmcmc/distributions.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

namespace sgmcmc::testing {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
const double half_log_two_pi = 0.5 * std::log(2 * std::acos(-1.0));

void expect_finite(const std::vector<double>& gradient) {
  for (double slope : gradient) EXPECT_TRUE(std::isfinite(slope)) << slope;
}

void expect_zero(const std::vector<double>& gradient) {
  for (double slope : gradient) EXPECT_EQ(slope, 0.0);
}

/// Value and gradient when x is row data and the rest global, summed over rows.
std::pair<double, std::vector<double>> with_row_data(const std::function<Expression(Expression)>& f,
                                                     const std::vector<double>& x,
                                                     const std::vector<double>& parameters) {
  reference::RowTable rows;
  rows.rows = static_cast<std::int64_t>(x.size());
  rows.reals["x"] = x;
  const auto total = row_sum(f(row_real("x", {})));
  const auto leaves = reference::parameter_leaves(total);
  const auto gradients = differentiate(total, leaves);
  const auto values = reference::evaluate_naively(gradients, rows, {parameters, {}, {}});
  return {values_at(total, parameters, rows)[0], reference::assemble(leaves, gradients, values, 1, parameters.size())};
}

TEST(Support, ValueOutside_MinusInfinityAndGradientZero) {
  struct Outside {
    const char* name;
    std::function<Expression(Expression)> f;  // further arguments are theta[1], theta[2], theta[3]
    std::vector<double> values;
  };
  const auto a = theta(1), b = theta(2);
  const std::vector<Outside> cases{
      {"lognormal", [=](Expression x) { return lognormal_lpdf(x, a, b); }, {-1, 0}},
      {"gamma", [=](Expression x) { return gamma_lpdf(x, a, b); }, {-1, 0}},
      {"inv_gamma", [=](Expression x) { return inv_gamma_lpdf(x, a, b); }, {-1, 0}},
      {"exponential", [=](Expression x) { return exponential_lpdf(x, a); }, {-1, -1e-300}},
      {"weibull", [=](Expression x) { return weibull_lpdf(x, a, b); }, {-1, 0}},
      {"chi_square", [=](Expression x) { return chi_square_lpdf(x, a); }, {-1, 0}},
      {"inv_chi_square", [=](Expression x) { return inv_chi_square_lpdf(x, a); }, {-1, 0}},
      {"scaled_inv_chi_square", [=](Expression x) { return scaled_inv_chi_square_lpdf(x, a, b); }, {-1, 0}},
      {"frechet", [=](Expression x) { return frechet_lpdf(x, a, b); }, {-1, 0}},
      {"rayleigh", [=](Expression x) { return rayleigh_lpdf(x, a); }, {-1, 0}},
      {"pareto", [=](Expression x) { return pareto_lpdf(x, 0.2 * a, b); }, {-1, 0, 0.2}},
      {"pareto_type_2", [=](Expression x) { return pareto_type_2_lpdf(x, 0.2 * a, 1.0, b); }, {-1, 0.2}},
      {"beta_proportion", [=](Expression x) { return beta_proportion_lpdf(x, 0.2 * a, b); }, {-0.1, 1.1}},
      {"half_normal", [=](Expression x) { return half_normal_lpdf(x, a); }, {-1}},
      {"half_cauchy", [=](Expression x) { return half_cauchy_lpdf(x, a); }, {-1}},
      {"half_student_t", [=](Expression x) { return half_student_t_lpdf(x, a, b); }, {-1}},
      {"beta", [=](Expression x) { return beta_lpdf(x, a, b); }, {-0.1, 1.1, -1e9}},
      {"uniform", [=](Expression x) { return uniform_lpdf(x, -a, b); }, {-3, 3}},
  };
  for (const auto& outside : cases) {
    for (double x : outside.values) {
      SCOPED_TRACE(std::string(outside.name) + " at " + std::to_string(x));
      const std::vector<double> parameters{x, 1.5, 2.5};
      EXPECT_EQ(value_at(outside.f(theta(0)), parameters), -infinity);
      expect_zero(gradient_at(outside.f(theta(0)), parameters));
      // Among rows inside the support one outside makes the sum -infinity but leaves the gradient of the others.
      const auto [value, gradient] = with_row_data(outside.f, {0.5, x}, parameters);
      EXPECT_EQ(value, -infinity);
      EXPECT_EQ(gradient, with_row_data(outside.f, {0.5}, parameters).second);
    }
  }
}

TEST(Normal, TinySd_ValueAndGradientFinite) {
  const double sd = 1e-300;
  const std::vector<double> point{1.5e-300, 0.0, sd};
  const auto f = normal_lpdf(theta(0), theta(1), theta(2));
  const double expected = -1.125 - std::log(sd) - half_log_two_pi;
  EXPECT_NEAR(value_at(f, point), expected, 1e-12 * expected);
  const auto gradient = gradient_at(f, point);
  EXPECT_NEAR(gradient[0] * sd, -1.5, 1e-12);
  EXPECT_NEAR(gradient[1] * sd, 1.5, 1e-12);
  EXPECT_NEAR(gradient[2] * sd, 1.25, 1e-12);
}

TEST(Normal, TinyGlobalSdWithRowData_ValueAndGradientFinite) {
  const double sd = 1e-300;
  const auto [value, gradient] =
      with_row_data([](Expression x) { return normal_lpdf(x, theta(0), theta(1)); }, {1.5e-300, 0.0}, {0.0, sd});
  const double expected = -1.125 - 2 * std::log(sd) - 2 * half_log_two_pi;
  EXPECT_NEAR(value, expected, 1e-12 * expected);
  EXPECT_NEAR(gradient[0] * sd, 1.5, 1e-12);
  EXPECT_NEAR(gradient[1] * sd, 0.25, 1e-12);
}

TEST(Normal, GlobalSd_LogarithmIsTakenOnceNotPerRow) {
  const auto f = normal_lpdf(row_real("x", {}), theta(0), theta(1));
  for (const auto& node : reference::nodes_of({f})) {
    if (node.node().op == Op::log || node.node().op == Op::divide || node.node().op == Op::reciprocal) {
      EXPECT_FALSE(node.per_row()) << node.describe();
    }
  }
}

TEST(HeavyTails, TinyScale_FiniteWhereTheSquareOverflows) {
  const std::vector<double> point{1.0, 0.0, 1e-300};
  const auto cauchy = cauchy_lpdf(theta(0), theta(1), theta(2));
  const double log_z = 300 * std::log(10.0);
  EXPECT_NEAR(value_at(cauchy, point), -std::log(std::acos(-1.0)) + log_z - 2 * log_z, 1e-9);
  auto gradient = gradient_at(cauchy, point);
  EXPECT_NEAR(gradient[0], -2.0, 1e-9);
  EXPECT_NEAR(gradient[2] * 1e-300, 1.0, 1e-9);

  const auto student = student_t_lpdf(theta(0), 3.0, theta(1), theta(2));
  const double normaliser = std::lgamma(2.0) - std::lgamma(1.5) - 0.5 * std::log(3 * std::acos(-1.0));
  EXPECT_NEAR(value_at(student, point), normaliser + log_z - 2 * (2 * log_z - std::log(3.0)), 1e-9);
  expect_finite(gradient_at(student, point));
}

TEST(StudentT, HugeDegrees_IsNormal) {
  for (double degrees : {1e8, 1e12, 1e20, 1e300}) {
    const std::vector<double> point{1.7, 0.2, 0.9, degrees};
    const auto f = student_t_lpdf(theta(0), theta(3), theta(1), theta(2));
    const auto normal = normal_lpdf(theta(0), theta(1), theta(2));
    EXPECT_NEAR(value_at(f, point), value_at(normal, point), 10 / degrees + 1e-14) << degrees;
    const auto gradient = gradient_at(f, point), expected = gradient_at(normal, point);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(gradient[i], expected[i], 10 / degrees + 1e-13) << degrees;
    EXPECT_NEAR(gradient[3], 0.0, 10 / degrees);
  }
}

TEST(Logistic, FarTails_Exact) {
  const auto f = logistic_lpdf(theta(0), 0.0, 1.0);
  for (double x : {1e3, -1e3, 1e300, -1e300}) {
    EXPECT_DOUBLE_EQ(value_at(f, {x}), -std::abs(x));
    EXPECT_DOUBLE_EQ(gradient_at(f, {x})[0], x > 0 ? -1.0 : 1.0);
  }
}

TEST(BernoulliLogit, HugeLogits_Exact) {
  for (double logit : {1e3, -1e3, 1e300}) {
    for (double y : {0.0, 1.0}) {
      const auto f = bernoulli_logit_lpmf(y, theta(0));
      const bool likely = (logit > 0) == (y == 1);
      EXPECT_EQ(value_at(f, {logit}), likely ? 0.0 : -std::abs(logit));
      EXPECT_EQ(gradient_at(f, {logit})[0], y - (logit > 0 ? 1.0 : 0.0));
    }
  }
}

TEST(BinomialLogit, HugeLogits_Exact) {
  EXPECT_EQ(value_at(binomial_logit_lpmf(5, 5, theta(0)), {1e3}), 0.0);
  EXPECT_EQ(value_at(binomial_logit_lpmf(0, 5, theta(0)), {-1e3}), 0.0);
  EXPECT_DOUBLE_EQ(value_at(binomial_logit_lpmf(5, 5, theta(0)), {-1e3}), -5e3);
  expect_finite(gradient_at(binomial_logit_lpmf(5, 5, theta(0)), {-1e3}));
}

TEST(Bernoulli, ProbabilityZeroOrOne_CertainOrImpossible) {
  EXPECT_EQ(value_at(bernoulli_lpmf(1, theta(0)), {1.0}), 0.0);
  EXPECT_EQ(value_at(bernoulli_lpmf(0, theta(0)), {0.0}), 0.0);
  EXPECT_EQ(gradient_at(bernoulli_lpmf(1, theta(0)), {1.0})[0], 1.0);
  EXPECT_EQ(gradient_at(bernoulli_lpmf(0, theta(0)), {0.0})[0], -1.0);
  EXPECT_EQ(value_at(bernoulli_lpmf(0, theta(0)), {1.0}), -infinity);
  EXPECT_EQ(value_at(bernoulli_lpmf(1, theta(0)), {0.0}), -infinity);
  expect_zero(gradient_at(bernoulli_lpmf(1, theta(0)), {0.0}));
}

TEST(Binomial, ProbabilityZeroOrOne_CertainOrImpossible) {
  EXPECT_EQ(value_at(binomial_lpmf(4, 4, theta(0)), {1.0}), 0.0);
  EXPECT_EQ(value_at(binomial_lpmf(0, 4, theta(0)), {0.0}), 0.0);
  EXPECT_EQ(gradient_at(binomial_lpmf(4, 4, theta(0)), {1.0})[0], 4.0);
  EXPECT_EQ(gradient_at(binomial_lpmf(0, 4, theta(0)), {0.0})[0], -4.0);
  EXPECT_EQ(value_at(binomial_lpmf(3, 4, theta(0)), {1.0}), -infinity);
  EXPECT_EQ(value_at(binomial_lpmf(1, 4, theta(0)), {0.0}), -infinity);
}

TEST(Bernoulli, ProbabilityOutside_MinusInfinityWithoutGradient) {
  for (const double p : {-0.5, 1.5, 1e300}) {
    for (const double y : {0.0, 1.0}) {
      EXPECT_EQ(value_at(bernoulli_lpmf(y, theta(0)), {p}), -infinity) << y << " " << p;
      expect_zero(gradient_at(bernoulli_lpmf(y, theta(0)), {p}));
    }
    for (const double y : {0.0, 2.0, 5.0}) {
      EXPECT_EQ(value_at(binomial_lpmf(y, 5.0, theta(0)), {p}), -infinity) << y << " " << p;
      expect_zero(gradient_at(binomial_lpmf(y, 5.0, theta(0)), {p}));
    }
  }
  EXPECT_NEAR(value_at(bernoulli_lpmf(1.0, theta(0)), {1.0 + 1e-15}), 0.0, 1e-14);  // a sum that was rounded
}

TEST(Binomial, CountOutsideTrials_MinusInfinityAndFiniteGradient) {
  for (int y : {-1, 5, 9}) {
    EXPECT_EQ(value_at(binomial_lpmf(y, 4, theta(0)), {0.3}), -infinity) << y;
    EXPECT_EQ(value_at(binomial_logit_lpmf(y, 4, theta(0)), {0.3}), -infinity) << y;
    expect_finite(gradient_at(binomial_logit_lpmf(y, 4, theta(0)), {0.3}));
  }
}

TEST(Binomial, HugeTrials_CoefficientKeepsItsDigits) {
  const double trials = 1e15;
  const auto f = binomial_lpmf(3, trials, theta(0));
  const double p = 2e-15;
  const double expected = 3 * std::log(trials * p) - std::log(6.0) - trials * p;
  EXPECT_NEAR(value_at(f, {p}), expected, 1e-12);
}

TEST(Poisson, RateZero_Limit) {
  EXPECT_EQ(value_at(poisson_lpmf(0, theta(0)), {0.0}), 0.0);
  EXPECT_EQ(gradient_at(poisson_lpmf(0, theta(0)), {0.0})[0], -1.0);
  EXPECT_EQ(value_at(poisson_lpmf(2, theta(0)), {0.0}), -infinity);
}

TEST(Poisson, NegativeCount_MinusInfinityAndFiniteGradient) {
  EXPECT_EQ(value_at(poisson_lpmf(-1, theta(0)), {2.0}), -infinity);
  EXPECT_EQ(value_at(poisson_log_lpmf(-1, theta(0)), {2.0}), -infinity);
  expect_finite(gradient_at(poisson_log_lpmf(-1, theta(0)), {2.0}));
}

TEST(PoissonLog, HugeNegativeLogRate_Exact) {
  EXPECT_EQ(value_at(poisson_log_lpmf(0, theta(0)), {-1e3}), 0.0);
  EXPECT_DOUBLE_EQ(value_at(poisson_log_lpmf(2, theta(0)), {-1e3}), -2e3 - std::log(2.0));
  EXPECT_DOUBLE_EQ(gradient_at(poisson_log_lpmf(2, theta(0)), {-1e3})[0], 2.0);
}

TEST(NegativeBinomial, HugeDispersion_IsPoisson) {
  for (double dispersion : {1e10, 1e13, 1e16, 1e100, 1e300}) {
    for (double y : {0.0, 1.0, 39.0, 100.0}) {
      const double log_mean = 2.1;
      const std::vector<double> point{std::exp(log_mean), dispersion, log_mean};
      const double poisson = value_at(poisson_lpmf(y, theta(0)), point);
      const double tolerance = 1e4 / dispersion + 1e-12;
      const auto by_mean = neg_binomial_2_lpmf(y, theta(0), theta(1));
      const auto by_log_mean = neg_binomial_2_log_lpmf(y, theta(2), theta(1));
      const auto by_shape = neg_binomial_lpmf(y, theta(1), theta(1) / theta(0));
      EXPECT_NEAR(value_at(by_mean, point), poisson, tolerance) << dispersion << " " << y;
      EXPECT_NEAR(value_at(by_log_mean, point), poisson, tolerance) << dispersion << " " << y;
      EXPECT_NEAR(value_at(by_shape, point), poisson, 10 * tolerance) << dispersion << " " << y;
      const auto slope = gradient_at(by_mean, point);
      EXPECT_NEAR(slope[0], gradient_at(poisson_lpmf(y, theta(0)), point)[0], tolerance);
      EXPECT_NEAR(slope[1], 0.0, 1e4 / dispersion);
    }
  }
}

TEST(NegativeBinomial, AcrossTheSwitchOfFormulas_Continuous) {
  const auto f = neg_binomial_2_lpmf(25, 20.0, theta(0));
  const double below = value_at(f, {1999.7315999}), above = value_at(f, {1999.7316001});
  EXPECT_NEAR(below, above, 2e-11);
  EXPECT_NEAR(gradient_at(f, {1999.7315999})[0], gradient_at(f, {1999.7316001})[0], 1e-13);
}

TEST(NegativeBinomial, TinyDispersion_Finite) {
  for (double y : {0.0, 3.0}) {
    const auto f = neg_binomial_2_lpmf(y, theta(0), theta(1));
    EXPECT_TRUE(std::isfinite(value_at(f, {2.0, 1e-300})));
    expect_finite(gradient_at(f, {2.0, 1e-300}));
  }
}

TEST(Beta, BoundaryWithUnitShape_Limit) {
  EXPECT_DOUBLE_EQ(value_at(beta_lpdf(theta(0), 1.0, 3.0), {0.0}), std::log(3.0));
  EXPECT_DOUBLE_EQ(value_at(beta_lpdf(theta(0), 2.0, 1.0), {1.0}), std::log(2.0));
  EXPECT_EQ(value_at(beta_lpdf(theta(0), 1.0, 1.0), {1.0}), 0.0);
  EXPECT_DOUBLE_EQ(gradient_at(beta_lpdf(theta(0), 1.0, 3.0), {0.0})[0], -2.0);
  EXPECT_EQ(value_at(beta_lpdf(theta(0), 2.0, 3.0), {0.0}), -infinity);
}

TEST(Beta, EqualShapes_GradientSymmetric) {
  const auto gradient = gradient_at(beta_lpdf(theta(0), theta(1), theta(2)), {0.5, 2.0, 2.0});
  EXPECT_DOUBLE_EQ(gradient[1], gradient[2]);
}

TEST(Beta, HugeShapes_KeepTheirDigits) {
  // With both shapes n the mode is at 1/2, where the density is sqrt(4 n / pi) / 2 * 2 up to O(1/n).
  const double n = 1e8;
  const auto f = beta_lpdf(0.5, theta(0), theta(1));
  EXPECT_NEAR(value_at(f, {n, n}), 0.5 * std::log(4 * n / std::acos(-1.0)), 1e-6);
}

TEST(VonMises, LargeConcentration_IsNormal) {
  const auto f = von_mises_lpdf(theta(0), 0.3, theta(1));
  for (const double concentration : {30.0, 100.0, 300.0}) {
    const double sd = 1 / std::sqrt(concentration);
    const std::vector<double> point{0.3 + 1.5 * sd, concentration};
    EXPECT_NEAR(value_at(f, point), value_at(normal_lpdf(theta(0), 0.3, sd), point), 0.5 / concentration);
    expect_finite(gradient_at(f, point));
  }
}

TEST(SkewNormal, FarTail_Finite) {
  const auto f = skew_normal_lpdf(theta(0), 0.0, 1.0, theta(1));
  const std::vector<double> point{-50.0, 4.0};
  EXPECT_NEAR(value_at(f, point), -0.5 * 50 * 50 * 17 - std::log(200.0) - 2 * half_log_two_pi + std::log(2.0), 1e-3);
  expect_finite(gradient_at(f, point));
}

TEST(BetaBinomial, CountOutsideTrials_MinusInfinityAndGradientZero) {
  for (int y : {-1, 5}) {
    EXPECT_EQ(value_at(beta_binomial_lpmf(y, 4, theta(0), theta(1)), {0.7, 1.3}), -infinity);
    expect_zero(gradient_at(beta_binomial_lpmf(y, 4, theta(0), theta(1)), {0.7, 1.3}));
  }
}

TEST(Exponential, AtZero_LogRate) { EXPECT_DOUBLE_EQ(value_at(exponential_lpdf(theta(0), 2.5), {0.0}), std::log(2.5)); }

}  // namespace
}  // namespace sgmcmc::testing
