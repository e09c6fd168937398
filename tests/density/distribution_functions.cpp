// Every distribution function: values against independent ones, slopes against the density, and every derivative.
#include "density/evaluate.hpp"

#include <sgmcmc/distributions.hpp>
#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>
#include <boost/math/distributions.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <boost/math/special_functions/owens_t.hpp>

#include <cmath>
#include <functional>
#include <limits>

namespace sgmcmc::testing {
namespace {

using Arguments = std::vector<Expression>;
using Numbers = std::vector<long double>;
using Function = std::function<Expression(const Arguments&)>;

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Law {
  std::string name;
  Function lcdf, lccdf, cdf, density;
  std::function<std::pair<long double, long double>(const Numbers&)> tails;  ///< lower and upper tail, computed
                                                                             ///< independently
  std::vector<std::vector<double>> points;
  std::vector<bool> continuous;  ///< has a derivative in this argument
  bool twice = true;             ///< whether second derivatives are known
};

void PrintTo(const Law& law, std::ostream* out) { *out << law.name; }

template <class Distribution>
std::pair<long double, long double> tails(const Distribution& law, long double x) {
  return {boost::math::cdf(law, x), boost::math::cdf(boost::math::complement(law, x))};
}

#define SGMCMC_LAW(name, density, arguments) \
#name, [](const Arguments& a) { return name##_lcdf arguments; },              \
      [](const Arguments& a) { return name##_lccdf arguments; },                \
      [](const Arguments& a) { return name##_cdf arguments; },                  \
      [](const Arguments& a) { return name##_##density arguments; }
#define SGMCMC_1 (a[0])
#define SGMCMC_2 (a[0], a[1])
#define SGMCMC_3 (a[0], a[1], a[2])
#define SGMCMC_4 (a[0], a[1], a[2], a[3])
#define SGMCMC_TAILS(expression) [](const Numbers& v) { return expression; }

std::vector<Law> real_laws() {
  using namespace boost::math;
  using L = long double;
  return {
      {SGMCMC_LAW(std_normal, lpdf, SGMCMC_1),
       SGMCMC_TAILS(tails(normal_distribution<L>(0, 1), v[0])),
       {{0.3}, {-2.5}, {6.0}},
       {true}},
      {SGMCMC_LAW(normal, lpdf, SGMCMC_3),
       SGMCMC_TAILS(tails(normal_distribution<L>(v[1], v[2]), v[0])),
       {{0.3, -0.4, 1.7}, {5.0, 4.5, 0.2}, {-20.0, 3.0, 4.0}},
       {true, true, true}},
      {SGMCMC_LAW(student_t, lpdf, SGMCMC_4),
       SGMCMC_TAILS(tails(students_t_distribution<L>(v[1]), (v[0] - v[2]) / v[3])),
       {{0.3, 4.0, -0.4, 1.7}, {5.0, 0.5, 4.5, 0.2}, {-20.0, 55.0, 3.0, 4.0}, {0.1, 3.0, 0.1001, 0.7}},
       {true, true, true, true},
       false},
      {SGMCMC_LAW(double_exponential, lpdf, SGMCMC_3),
       SGMCMC_TAILS(tails(laplace_distribution<L>(v[1], v[2]), v[0])),
       {{0.3, -0.4, 1.7}, {5.0, 5.5, 0.2}, {-20.0, 3.0, 4.0}},
       {true, true, true}},
      {SGMCMC_LAW(cauchy, lpdf, SGMCMC_3),
       SGMCMC_TAILS(tails(cauchy_distribution<L>(v[1], v[2]), v[0])),
       {{0.3, -0.4, 1.7}, {5.0, 4.5, 0.2}, {-2000.0, 3.0, 4.0}},
       {true, true, true}},
      {SGMCMC_LAW(logistic, lpdf, SGMCMC_3),
       SGMCMC_TAILS(tails(logistic_distribution<L>(v[1], v[2]), v[0])),
       {{0.3, -0.4, 1.7}, {5.0, 4.5, 0.2}, {-20.0, 3.0, 4.0}},
       {true, true, true}},
      {SGMCMC_LAW(skew_normal, lpdf, SGMCMC_4),
       [](const Numbers& v) {
         const L z = (v[0] - v[1]) / v[2], t = 2 * boost::math::owens_t(z, v[3]);
         const auto [below, above] = tails(normal_distribution<L>(0, 1), z);
         return std::pair{below - t, above + t};
       },
       {{0.3, -0.4, 1.7, 2.0}, {5.0, 4.5, 0.9, -3.0}, {-1.0, 3.0, 4.0, 0.5}},
       {true, true, true, true}},
      {SGMCMC_LAW(exp_mod_normal, lpdf, SGMCMC_4),
       [](const Numbers& v) {
         const L u = (v[0] - v[1]) / v[2], s = v[2] * v[3];
         const auto [below, above] = tails(normal_distribution<L>(0, 1), u);
         const L part = std::exp(s * s / 2 - v[3] * (v[0] - v[1])) * cdf(normal_distribution<L>(0, 1), u - s);
         return std::pair{below - part, above + part};
       },
       {{0.3, -0.4, 1.7, 0.8}, {5.0, 4.5, 0.2, 3.0}, {-2.0, 3.0, 4.0, 0.5}},
       {true, true, true, true}},
      {SGMCMC_LAW(gumbel, lpdf, SGMCMC_3),
       SGMCMC_TAILS(tails(extreme_value_distribution<L>(v[1], v[2]), v[0])),
       {{0.3, -0.4, 1.7}, {5.0, 4.5, 0.2}, {-4.0, 3.0, 4.0}},
       {true, true, true}},
  };
}

std::vector<Law> bounded_laws() {
  using namespace boost::math;
  using L = long double;
  return {
      {SGMCMC_LAW(lognormal, lpdf, SGMCMC_3),
       SGMCMC_TAILS(tails(lognormal_distribution<L>(v[1], v[2]), v[0])),
       {{0.8, 0.4, 0.7}, {5.0, 1.5, 0.9}, {0.01, -3.0, 1.5}},
       {true, true, true}},
      {SGMCMC_LAW(gamma, lpdf, SGMCMC_3),
       SGMCMC_TAILS(tails(gamma_distribution<L>(v[1], 1 / v[2]), v[0])),
       {{0.8, 2.4, 1.7}, {5.0, 0.6, 0.9}, {30.0, 40.0, 1.5}, {8.0, 3.0, 1.5}},
       {true, true, true},
       false},
      {SGMCMC_LAW(inv_gamma, lpdf, SGMCMC_3),
       SGMCMC_TAILS(tails(inverse_gamma_distribution<L>(v[1], v[2]), v[0])),
       {{0.8, 2.4, 1.7}, {5.0, 0.6, 0.9}, {0.3, 4.0, 1.5}},
       {true, true, true},
       false},
      {SGMCMC_LAW(chi_square, lpdf, SGMCMC_2),
       SGMCMC_TAILS(tails(chi_squared_distribution<L>(v[1]), v[0])),
       {{0.8, 3.4}, {5.0, 0.6}, {30.0, 40.0}},
       {true, true},
       false},
      {SGMCMC_LAW(inv_chi_square, lpdf, SGMCMC_2),
       SGMCMC_TAILS(tails(inverse_chi_squared_distribution<L>(v[1], 1 / v[1]), v[0])),
       {{0.8, 3.4}, {5.0, 1.6}, {0.03, 40.0}},
       {true, true},
       false},
      {SGMCMC_LAW(scaled_inv_chi_square, lpdf, SGMCMC_3),
       SGMCMC_TAILS(tails(inverse_chi_squared_distribution<L>(v[1], v[2] * v[2]), v[0])),
       {{0.8, 3.4, 1.3}, {5.0, 1.6, 0.7}, {0.3, 20.0, 0.6}},
       {true, true, true},
       false},
      {SGMCMC_LAW(exponential, lpdf, SGMCMC_2),
       SGMCMC_TAILS(tails(exponential_distribution<L>(v[1]), v[0])),
       {{0.8, 2.4}, {5.0, 0.6}, {0.003, 4.0}},
       {true, true}},
      {SGMCMC_LAW(weibull, lpdf, SGMCMC_3),
       SGMCMC_TAILS(tails(weibull_distribution<L>(v[1], v[2]), v[0])),
       {{0.8, 2.4, 1.7}, {5.0, 0.6, 0.9}, {0.3, 1.0, 1.5}},
       {true, true, true}},
      {SGMCMC_LAW(frechet, lpdf, SGMCMC_3),
       [](const Numbers& v) {
         const auto [below, above] = tails(weibull_distribution<L>(v[1], 1 / v[2]), 1 / v[0]);
         return std::pair{above, below};
       },
       {{0.8, 2.4, 1.7}, {5.0, 0.6, 0.9}, {3.0, 1.0, 1.5}},
       {true, true, true}},
      {SGMCMC_LAW(rayleigh, lpdf, SGMCMC_2),
       SGMCMC_TAILS(tails(rayleigh_distribution<L>(v[1]), v[0])),
       {{0.8, 2.4}, {5.0, 1.6}, {0.3, 0.1}},
       {true, true}},
      {SGMCMC_LAW(pareto, lpdf, SGMCMC_3),
       SGMCMC_TAILS(tails(pareto_distribution<L>(v[1], v[2]), v[0])),
       {{0.8, 0.4, 1.7}, {5.0, 0.6, 0.9}, {3.0, 0.1, 4.5}},
       {true, true, true}},
      {SGMCMC_LAW(pareto_type_2, lpdf, SGMCMC_4),
       SGMCMC_TAILS(tails(pareto_distribution<L>(v[2], v[3]), v[0] - v[1] + v[2])),
       {{0.8, 0.4, 1.7, 2.2}, {5.0, -0.6, 0.9, 0.7}, {3.0, 0.1, 4.5, 1.4}},
       {true, true, true, true}},
      {SGMCMC_LAW(beta, lpdf, SGMCMC_3),
       SGMCMC_TAILS(tails(beta_distribution<L>(v[1], v[2]), v[0])),
       {{0.3, 2.4, 1.7}, {0.8, 0.6, 0.9}, {0.02, 2.0, 2.0}, {0.5, 40.0, 45.0}},
       {true, true, true},
       false},
      {SGMCMC_LAW(beta_proportion, lpdf, SGMCMC_3),
       SGMCMC_TAILS(tails(beta_distribution<L>(v[1] * v[2], (1 - v[1]) * v[2]), v[0])),
       {{0.3, 0.4, 5.7}, {0.8, 0.6, 1.9}, {0.02, 0.1, 20.0}},
       {true, true, true},
       false},
      {SGMCMC_LAW(uniform, lpdf, SGMCMC_3),
       SGMCMC_TAILS(tails(uniform_distribution<L>(v[1], v[2]), v[0])),
       {{0.3, -2.4, 1.7}, {1.0, -0.6, 1.9}},
       {true, true, true}},
  };
}

std::vector<Law> count_laws() {
  using namespace boost::math;
  using L = long double;
  return {
      {SGMCMC_LAW(bernoulli, lpmf, SGMCMC_2),
       SGMCMC_TAILS((std::pair{1 - v[1], v[1]})),
       {{0, 0.3}, {0, 0.999}},
       {false, true}},
      {SGMCMC_LAW(binomial, lpmf, SGMCMC_3),
       SGMCMC_TAILS(tails(binomial_distribution<L>(v[1], v[2]), v[0])),
       {{3, 10, 0.35}, {0, 10, 0.2}, {9, 10, 0.7}, {40, 500, 0.1}},
       {false, false, true}},
      {SGMCMC_LAW(poisson, lpmf, SGMCMC_2),
       SGMCMC_TAILS(tails(poisson_distribution<L>(v[1]), v[0])),
       {{3, 2.3}, {0, 0.7}, {120, 100.0}},
       {false, true}},
      {SGMCMC_LAW(neg_binomial, lpmf, SGMCMC_3),
       SGMCMC_TAILS(tails(negative_binomial_distribution<L>(v[1], v[2] / (1 + v[2])), v[0])),
       {{3, 2.3, 1.2}, {0, 0.7, 0.9}, {25, 50.0, 2.5}, {4, 0.3, 0.05}},
       {false, true, true},
       false},
      {SGMCMC_LAW(neg_binomial_2, lpmf, SGMCMC_3),
       SGMCMC_TAILS(tails(negative_binomial_distribution<L>(v[2], v[2] / (v[1] + v[2])), v[0])),
       {{3, 2.3, 1.2}, {0, 0.7, 0.9}, {25, 20.0, 50.0}, {4, 0.3, 0.05}},
       {false, true, true},
       false},
  };
}

std::vector<Law> all_laws() {
  auto all = real_laws();
  for (const auto& more : {bounded_laws(), count_laws()}) all.insert(all.end(), more.begin(), more.end());
  return all;
}

Arguments global_arguments(const Law& law, const std::vector<double>& point) {
  Arguments arguments;
  for (std::size_t i = 0; i < point.size(); ++i)
    arguments.push_back(law.continuous[i] ? theta(static_cast<std::int64_t>(i)) : Expression(point[i]));
  return arguments;
}

class DistributionFunction : public ::testing::TestWithParam<Law> {};

TEST_P(DistributionFunction, BothTails_EqualIndependentValues) {
  const auto& law = GetParam();
  for (const auto& point : law.points) {
    const auto arguments = global_arguments(law, point);
    const auto [below, above] = law.tails({point.begin(), point.end()});
    const double lower = static_cast<double>(std::log(below)), upper = static_cast<double>(std::log(above));
    EXPECT_NEAR(value_at(law.lcdf(arguments), point), lower, 1e-11 * std::max(1.0, std::abs(lower))) << point[0];
    EXPECT_NEAR(value_at(law.lccdf(arguments), point), upper, 1e-11 * std::max(1.0, std::abs(upper))) << point[0];
    EXPECT_NEAR(value_at(law.cdf(arguments), point), static_cast<double>(below), 1e-12) << point[0];
  }
}

TEST_P(DistributionFunction, GlobalArguments_GradientsAgreeWithDualsAndDifferences) {
  const auto& law = GetParam();
  for (const auto& point : law.points) {
    for (const auto& function : {law.lcdf, law.lccdf, law.cdf}) {
      reference::CheckOptions options;
      options.dual_tolerance = 1e-9;
      const auto f = function(global_arguments(law, point));
      const auto report = reference::check_gradient(f, {}, {point, {}, {}}, options);
      EXPECT_TRUE(report.agrees()) << "x = " << point[0] << "\n" << report.failure;
    }
  }
}

TEST_P(DistributionFunction, RowData_GradientsAgreeWithDualsAndDifferences) {
  const auto& law = GetParam();
  reference::RowTable rows;
  rows.rows = static_cast<std::int64_t>(law.points.size());
  Arguments given;
  for (std::size_t i = 0; i < law.continuous.size(); ++i) {
    const std::string column = "column" + std::to_string(i);
    for (const auto& point : law.points) {
      if (law.continuous[i]) rows.reals[column].push_back(point[i]);
      if (!law.continuous[i]) rows.integers[column].push_back(static_cast<std::int64_t>(point[i]));
    }
    const auto data = law.continuous[i] ? row_real(column, {}) : row_integer(column, {});
    given.push_back(i == 0 || !law.continuous[i] ? data : data * theta(static_cast<std::int64_t>(i)));
  }
  const std::vector<double> ones(law.continuous.size(), 1.0);
  if (law.continuous.size() == 1) return;
  for (const auto& function : {law.lcdf, law.lccdf}) {
    reference::CheckOptions options;
    options.dual_tolerance = 1e-9;
    const auto report = reference::check_gradient(row_sum(function(given)), rows, {ones, {}, {}}, options);
    EXPECT_TRUE(report.agrees()) << report.failure;
  }
}

TEST_P(DistributionFunction, Slope_IsTheDensity) {
  const auto& law = GetParam();
  for (const auto& point : law.points) {
    const auto arguments = global_arguments(law, point);
    const double density = std::exp(value_at(law.density(arguments), point));
    double slope = 0;
    if (law.continuous[0]) {
      slope = gradient_at(law.cdf(arguments), point)[0];
    } else {
      auto before = arguments;
      before[0] = Expression(point[0] - 1);
      slope = value_at(law.cdf(arguments), point) - value_at(law.cdf(before), point);
    }
    EXPECT_NEAR(slope, density, 1e-10 * std::max(1e-2, density)) << "x = " << point[0];
  }
}

TEST_P(DistributionFunction, Twice_AgreesWithDualsOfDualsOrSaysThatItIsNotKnown) {
  const auto& law = GetParam();
  for (const auto& point : law.points) {
    const auto f = law.lcdf(global_arguments(law, point));
    std::vector<double> direction;
    for (std::size_t i = 0; i < point.size(); ++i) direction.push_back(0.3 + 0.4 * static_cast<double>(i));
    reference::CheckOptions options;
    options.dual_tolerance = 1e-8;
    const auto check = [&] { return reference::check_hessian_vector(f, {}, {point, {}, direction}, options); };
    if (!law.twice) {
      EXPECT_THROW(check(), ModelError);
      continue;
    }
    const auto report = check();
    EXPECT_TRUE(report.agrees()) << "x = " << point[0] << "\n" << report.failure;
  }
}

INSTANTIATE_TEST_SUITE_P(Laws, DistributionFunction, ::testing::ValuesIn(all_laws()),
                         [](const auto& tried) { return tried.param.name; });

TEST(DistributionFunctions, OutsideTheSupport_CertainOrImpossibleWithoutGradient) {
  for (const auto& law : bounded_laws()) {
    SCOPED_TRACE(law.name);
    auto point = law.points[0];
    const auto arguments = global_arguments(law, point);
    const auto zero = std::vector<double>(point.size(), 0.0);
    point[0] = -3.0;
    EXPECT_EQ(value_at(law.lcdf(arguments), point), -infinity);
    EXPECT_EQ(value_at(law.lccdf(arguments), point), 0.0);
    EXPECT_EQ(value_at(law.cdf(arguments), point), 0.0);
    for (const auto& function : {law.lcdf, law.lccdf, law.cdf})
      EXPECT_EQ(gradient_at(function(arguments), point), zero);
    if (law.name != "beta" && law.name != "beta_proportion" && law.name != "uniform") continue;
    point[0] = 3.0;
    EXPECT_EQ(value_at(law.lcdf(arguments), point), 0.0);
    EXPECT_EQ(value_at(law.lccdf(arguments), point), -infinity);
    for (const auto& function : {law.lcdf, law.lccdf, law.cdf})
      EXPECT_EQ(gradient_at(function(arguments), point), zero);
  }
  for (const auto& law : count_laws()) {
    SCOPED_TRACE(law.name);
    auto point = law.points[0];
    auto arguments = global_arguments(law, point);
    arguments[0] = Expression(-1.0);
    EXPECT_EQ(value_at(law.lcdf(arguments), point), -infinity);
    EXPECT_EQ(value_at(law.lccdf(arguments), point), 0.0);
    for (double slope : gradient_at(law.lcdf(arguments), point)) EXPECT_EQ(slope, 0.0);
    if (law.name != "bernoulli" && law.name != "binomial") continue;
    arguments[0] = Expression(10.0);
    EXPECT_EQ(value_at(law.lcdf(arguments), point), 0.0);
    EXPECT_EQ(value_at(law.lccdf(arguments), point), -infinity);
    for (double slope : gradient_at(law.lccdf(arguments), point)) EXPECT_EQ(slope, 0.0);
  }
}

TEST(DistributionFunctions, Vectors_BroadcastToTheirCommonShape) {
  const auto f = gamma_lcdf(constant({0.5, 1.0, 2.0}), theta(0), theta(1));
  EXPECT_EQ(f.shape(), Shape{3});
  const auto values = values_at(f, {2.4, 1.7});
  const std::vector<double> x{0.5, 1.0, 2.0};
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_DOUBLE_EQ(values[i], value_at(gamma_lcdf(x[i], theta(0), theta(1)), {2.4, 1.7}));
}

TEST(DistributionFunctions, TruncatedDensity_IntegratesToOne) {
  // A gamma law cut to [0.5, 3], by the logarithms of its distribution function.
  const auto f = gamma_lpdf(theta(0), 2.4, 1.7) - log_diff_exp(gamma_lcdf(3.0, 2.4, 1.7), gamma_lcdf(0.5, 2.4, 1.7));
  const auto density = [&](double x) { return std::exp(value_at(f, {x})); };
  const double mass = boost::math::quadrature::gauss_kronrod<double, 31>::integrate(density, 0.5, 3.0, 10, 1e-10);
  EXPECT_NEAR(mass, 1.0, 1e-9);
}

}  // namespace
}  // namespace sgmcmc::testing
