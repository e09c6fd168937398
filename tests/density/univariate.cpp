// Every univariate distribution: values, gradients with global and per-row arguments, and total mass 1.
#include "density/cases.hpp"
#include "density/evaluate.hpp"

#include <gtest/gtest.h>
#include <boost/math/quadrature/gauss_kronrod.hpp>

#include <cmath>

namespace sgmcmc::testing {
namespace {

std::vector<Distribution> all_distributions() {
  auto all = continuous_distributions();
  for (auto& distribution : discrete_distributions()) all.push_back(std::move(distribution));
  return all;
}

class Univariate : public ::testing::TestWithParam<Distribution> {};
class UnivariateContinuous : public Univariate {};
class UnivariateDiscrete : public Univariate {};

double expected_at(const Distribution& distribution, const std::vector<double>& point) {
  return static_cast<double>(distribution.expected({point.begin(), point.end()}));
}

/// Arguments as scalars of the parameter vector; those without derivative as constants.
std::vector<Expression> global_arguments(const Distribution& distribution, const std::vector<double>& point) {
  std::vector<Expression> arguments;
  for (std::size_t i = 0; i < point.size(); ++i) {
    arguments.push_back(distribution.continuous[i] ? theta(static_cast<std::int64_t>(i)) : Expression(point[i]));
  }
  return arguments;
}

TEST_P(Univariate, OrdinaryPoints_EqualIndependentFormula) {
  const auto& distribution = GetParam();
  for (const auto& point : distribution.points) {
    const double expected = expected_at(distribution, point);
    const double value = value_at(distribution.log_density(global_arguments(distribution, point)), point);
    EXPECT_NEAR(value, expected, 1e-11 * std::max(1.0, std::abs(expected))) << "x = " << point[0];
  }
}

TEST_P(Univariate, GlobalArguments_GradientAgreesWithDualsAndDifferences) {
  const auto& distribution = GetParam();
  for (const auto& point : distribution.points) {
    const auto f = distribution.log_density(global_arguments(distribution, point));
    const auto report = reference::check_gradient(f, {}, {point, {}, {}});
    EXPECT_TRUE(report.agrees()) << "x = " << point[0] << "\n" << report.failure;
  }
}

TEST_P(Univariate, GlobalArguments_HessianVectorProductAgreesWithDualsOfDuals) {
  const auto& distribution = GetParam();
  for (const auto& point : distribution.points) {
    const auto f = distribution.log_density(global_arguments(distribution, point));
    std::vector<double> direction;
    for (std::size_t i = 0; i < point.size(); ++i) direction.push_back(0.3 + 0.4 * static_cast<double>(i));
    reference::CheckOptions options;
    options.dual_tolerance = 1e-8;
    const auto report = reference::check_hessian_vector(f, {}, {point, {}, direction}, options);
    EXPECT_TRUE(report.agrees()) << "x = " << point[0] << "\n" << report.failure;
  }
}

TEST_P(Univariate, PerRowArguments_ValuesAndGradientsOfEveryMixture) {
  // Each argument in turn is row data, a parameter, or both; the points are the rows.
  const auto& distribution = GetParam();
  const std::size_t arguments = distribution.continuous.size();
  reference::RowTable rows;
  rows.rows = static_cast<std::int64_t>(distribution.points.size());
  for (std::size_t i = 0; i < arguments; ++i) {
    const std::string column = "column" + std::to_string(i);
    for (const auto& point : distribution.points) {
      if (distribution.continuous[i]) rows.reals[column].push_back(point[i]);
      if (!distribution.continuous[i]) rows.integers[column].push_back(static_cast<std::int64_t>(point[i]));
    }
  }
  for (std::size_t mask = 0; mask < (std::size_t{1} << arguments); ++mask) {
    std::vector<Expression> given;
    std::vector<double> parameters(arguments, 1.0);
    bool all_data = true, any_parameter = false;
    for (std::size_t i = 0; i < arguments; ++i) {
      const std::string column = "column" + std::to_string(i);
      const auto leaf = theta(static_cast<std::int64_t>(i));
      const bool as_data = (mask >> i & 1) != 0;
      if (!distribution.continuous[i]) {
        given.push_back(row_integer(column, {}));
      } else if (as_data) {
        given.push_back(i == 0 ? row_real(column, {}) : row_real(column, {}) * leaf);
        any_parameter = any_parameter || i > 0;
      } else {
        given.push_back(leaf);
        parameters[i] = distribution.points[0][i];
        all_data = false;
        any_parameter = true;
      }
    }
    const auto f = distribution.log_density(given);
    if (!f.per_row()) continue;
    const auto values = values_at(f, parameters, rows);
    ASSERT_EQ(values.size(), distribution.points.size());
    for (std::size_t row = 0; all_data && row < values.size(); ++row) {
      const double expected = expected_at(distribution, distribution.points[row]);
      EXPECT_NEAR(values[row], expected, 1e-11 * std::max(1.0, std::abs(expected)));
    }
    if (!any_parameter) continue;
    const auto report = reference::check_gradient(f, rows, {parameters, {}, {}});
    EXPECT_TRUE(report.agrees()) << "mask " << mask << "\n" << report.failure;
    const auto of_sum = reference::check_gradient(row_sum(f), rows, {parameters, {}, {}});
    EXPECT_TRUE(of_sum.agrees()) << "sum over rows, mask " << mask << "\n" << of_sum.failure;
  }
}

TEST_P(Univariate, VectorArguments_BroadcastToTheirCommonShape) {
  const auto& distribution = GetParam();
  const auto& point = distribution.points[0];
  std::vector<Expression> given;
  for (std::size_t i = 0; i < point.size(); ++i) {
    given.push_back(i == 0 ? constant({point[0], point[0], point[0]}) : theta(static_cast<std::int64_t>(i)));
  }
  const auto f = distribution.log_density(given);
  EXPECT_EQ(f.shape(), Shape{3});
  const auto values = values_at(f, point);
  for (double value : values) EXPECT_NEAR(value, expected_at(distribution, point), 1e-11 * (1 + std::abs(value)));
}

TEST_P(UnivariateContinuous, Density_IntegratesToOne) {
  const auto& distribution = GetParam();
  auto point = distribution.points[0];
  std::vector<Expression> arguments;
  for (std::size_t i = 0; i < point.size(); ++i) arguments.push_back(theta(static_cast<std::int64_t>(i)));
  const auto f = distribution.log_density(arguments);
  const auto density = [&](double x) {
    point[0] = x;
    return std::exp(value_at(f, point));
  };
  const double mass = boost::math::quadrature::gauss_kronrod<double, 31>::integrate(density, distribution.support_from,
                                                                                    distribution.support_to, 15, 1e-9);
  EXPECT_NEAR(mass, 1.0, 1e-7);
}

TEST_P(UnivariateDiscrete, Probabilities_SumToOne) {
  const auto& distribution = GetParam();
  const auto& point = distribution.points[0];
  reference::RowTable rows;
  for (auto y = static_cast<std::int64_t>(distribution.support_from); y <= distribution.support_to; ++y) {
    rows.integers["y"].push_back(y);
    ++rows.rows;
  }
  std::vector<Expression> arguments{row_integer("y", {})};
  for (std::size_t i = 1; i < point.size(); ++i) arguments.push_back(Expression(point[i]));
  double mass = 0;
  for (double value : values_at(distribution.log_density(arguments), {}, rows)) mass += std::exp(value);
  EXPECT_NEAR(mass, 1.0, 1e-12);
}

const auto name_of = [](const auto& info) { return info.param.name; };
INSTANTIATE_TEST_SUITE_P(Distributions, Univariate, ::testing::ValuesIn(all_distributions()), name_of);
INSTANTIATE_TEST_SUITE_P(Distributions, UnivariateContinuous, ::testing::ValuesIn(continuous_distributions()), name_of);
INSTANTIATE_TEST_SUITE_P(Distributions, UnivariateDiscrete, ::testing::ValuesIn(discrete_distributions()), name_of);

}  // namespace
}  // namespace sgmcmc::testing
