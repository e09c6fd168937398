// Constraints in models: bounds that are parameters, edge shapes, sizes of graphs, and messages.
#include "constraint/evaluate.hpp"

#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <limits>

namespace sgmcmc::testing {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class ErrorType>
void expect_message(const std::function<void()>& f, const std::vector<std::string>& parts) {
  try {
    f();
    ADD_FAILURE() << "no error";
  } catch (const ErrorType& error) {
    for (const auto& part : parts) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << "\"" << part << "\" in: " << error.what();
    }
  }
}

TEST(Bounds, OtherParameters_ValueJacobianAndGradients) {
  // theta: two coordinates, then the bounds.
  const auto low = parameter_leaf("low", {}, 2), high = parameter_leaf("high", {2}, 3);
  const std::vector<double> theta{0.4, -1.1, -0.5, 2.0, 3.0};
  for (const auto& constraint : {Constraint::lower(low), Constraint::upper(high), Constraint::interval(low, high),
                                 Constraint::offset_multiplier(low, high)}) {
    const auto result = constraint.apply(coordinates(2), {2});
    const double expected = log_determinant_by_duals(result.value, theta, {0, 1});
    EXPECT_NEAR(values_at(result.log_jacobian, theta)[0], expected, 1e-13) << constraint.name();
    const auto target = dot(result.value, constant({0.3, -0.9})) + result.log_jacobian;
    const auto report = reference::check_gradient(target, {}, {theta, {}, {}});
    EXPECT_TRUE(report.agrees()) << constraint.name() << "\n" << report.failure;
    // Backwards, with the values of the bounds given.
    std::vector<std::vector<double>> bounds;
    for (const auto& bound : constraint.bounds()) bounds.push_back(values_at(bound, theta));
    const auto back = constraint.unconstrain(values_at(result.value, theta), {2}, bounds);
    EXPECT_NEAR(back[0], 0.4, 1e-13);
    EXPECT_NEAR(back[1], -1.1, 1e-13);
  }
}

TEST(Bounds, NotConstantAndNotGiven_ErrorSaysSo) {
  const auto constraint = Constraint::lower(parameter_leaf("low", {}, 0));
  const std::vector<double> values{1.0};
  expect_message<ModelError>([&] { constraint.unconstrain(values, {}); }, {"lower", "not a constant"});
}

TEST(Bounds, Infinite_AreNoBounds) {
  EXPECT_TRUE(Constraint::lower(-infinity).is_unconstrained());
  EXPECT_TRUE(Constraint::upper(infinity).is_unconstrained());
  EXPECT_EQ(Constraint::interval(-infinity, 2.0).name(), "upper");
  EXPECT_EQ(Constraint::interval(1.0, infinity).name(), "lower");
  EXPECT_THROW(Constraint::lower(infinity), ModelError);
  EXPECT_THROW(Constraint::lower(constant({0.0, -infinity})), ModelError);
}

TEST(Bounds, PerRowOrCrossed_ErrorSaysWhy) {
  expect_message<ModelError>([] { Constraint::lower(row_real("age", {})); }, {"lower", "age", "row data"});
  expect_message<ModelError>([] { Constraint::interval(2.0, 1.0); }, {"interval", "2", "1"});
  expect_message<ModelError>([] { Constraint::upper(Expression()); }, {"upper", "empty"});
}

TEST(Bounds, WrongShape_ErrorNamesShapes) {
  EXPECT_THROW(Constraint::lower(constant({1, 2, 3})).apply(coordinates(2), {2}), ShapeError);
  expect_message<ShapeError>(
      [] {
        Constraint::lower(constant({1, 2, 3})).apply(coordinates(1), {});
      },
      {"lower", "scalar", "[3]"});
}

TEST(Apply, WrongNumberOfCoordinates_ErrorSaysHowMany) {
  expect_message<ShapeError>([] { Constraint::simplex().apply(coordinates(3), {3}); }, {"simplex", "[3]", "2"});
  expect_message<ShapeError>([] { Constraint::ordered().apply(Expression(), {3}); }, {"ordered", "nothing"});
}

TEST(Shapes, CannotCarryTheConstraint_ErrorSaysWhatIsNeeded) {
  expect_message<ShapeError>([] { Constraint::simplex().unconstrained_size({}); }, {"simplex", "scalar", "one axis"});
  expect_message<ShapeError>([] { Constraint::covariance_matrix().unconstrained_size({3}); }, {"two axes"});
  expect_message<ShapeError>([] { Constraint::correlation_matrix().unconstrained_size({3, 4}); }, {"square"});
  expect_message<ShapeError>([] { Constraint::cholesky_factor_covariance().unconstrained_size({3, 4}); }, {"rows"});
}

TEST(Shapes, NothingFree_ConstantValue) {
  const auto simplex = Constraint::simplex().apply(Expression(), {2, 1});
  EXPECT_EQ(values_at(simplex.value, {}), (std::vector<double>{1, 1}));
  EXPECT_EQ(values_at(simplex.log_jacobian, {}), std::vector<double>{0});
  for (const auto& constraint : {Constraint::correlation_matrix(), Constraint::cholesky_factor_correlation()}) {
    EXPECT_EQ(constraint.unconstrained_size({1, 1}), 0);
    EXPECT_EQ(values_at(constraint.apply(Expression(), {1, 1}).value, {}), std::vector<double>{1});
    EXPECT_TRUE(constraint.unconstrain(std::vector<double>{1.0}, {1, 1}).empty());
  }
  EXPECT_EQ(values_at(transformed(Constraint::ordered(), {2, 1}).value, {0.5, -0.5}), (std::vector<double>{0.5, -0.5}));
}

TEST(Graph, LargeShapes_NoMoreNodesThanSmallOnes) {
  const auto count = [](const Constraint& constraint, const Shape& shape) {
    const auto result = transformed(constraint, shape);
    return reference::nodes_of({result.value, result.log_jacobian}).size();
  };
  EXPECT_LE(count(Constraint::simplex(), {1000}), count(Constraint::simplex(), {3}));
  EXPECT_LE(count(Constraint::ordered(), {50, 20}), count(Constraint::ordered(), {3}));
  EXPECT_LE(count(Constraint::cholesky_factor_correlation(), {10, 30, 30}),
            count(Constraint::cholesky_factor_correlation(), {3, 3}));
  EXPECT_LE(count(Constraint::covariance_matrix(), {100, 3, 3}), count(Constraint::covariance_matrix(), {2, 3, 3}));
  EXPECT_LT(count(Constraint::simplex(), {1000}), 20U);
  EXPECT_LT(count(Constraint::correlation_matrix(), {30, 30}), 40U);
}

TEST(Simplex, ThousandElements_SumToOneAndComeBack) {
  std::vector<double> u;
  for (int k = 0; k < 999; ++k) u.push_back(3 * std::sin(0.37 * k));
  const auto values = values_at(transformed(Constraint::simplex(), {1000}).value, u);
  double total = 0;
  for (double value : values) total += value;
  EXPECT_NEAR(total, 1.0, 1e-12);
  const auto back = Constraint::simplex().unconstrain(values, {1000});
  for (std::size_t k = 0; k < u.size(); ++k) EXPECT_NEAR(back[k], u[k], 1e-8) << k;
}

TEST(Unconstrain, BrokenConstraints_ErrorNamesConstraintPositionAndValue) {
  const auto expect_refused = [](const Constraint& constraint, const std::vector<double>& values, const Shape& shape,
                                 std::vector<std::string> parts) {
    parts.push_back(constraint.name());
    expect_message<DataError>([&] { constraint.unconstrain(values, shape); }, parts);
  };
  expect_refused(Constraint::lower(1.5), {2.0, 1.5}, {2}, {"[1]", "1.5", "greater than 1.5"});
  expect_refused(Constraint::upper(1.5), {1.0, 7.0}, {2}, {"[1]", "7", "less than 1.5"});
  expect_refused(Constraint::interval(0.0, 1.0), {0.2, 0.3, 0.4, -3.0}, {2, 2}, {"[1, 1]", "-3", "between 0 and 1"});
  expect_refused(Constraint::interval(0.0, 1.0), {1.0}, {}, {"is 1"});
  expect_refused(Constraint::offset_multiplier(0.0, 0.0), {1.0}, {}, {"multiplier"});
  expect_refused(Constraint::unconstrained(), {1.0, infinity}, {2}, {"[1]", "finite"});
  expect_refused(Constraint::simplex(), {0.5, 0.0, 0.5}, {3}, {"[1]", "greater than 0"});
  expect_refused(Constraint::simplex(), {0.5, 0.5, 0.5, 0.6}, {2, 2}, {"[1, 1]", "0.6", "sum is 1.1"});
  expect_refused(Constraint::ordered(), {1.0, 3.0, 3.0}, {3}, {"[2]", "3"});
  expect_refused(Constraint::positive_ordered(), {-1.0, 3.0}, {2}, {"[0]", "-1"});
  expect_refused(Constraint::unit_vector(), {1.0, 1.0}, {2}, {"length 1"});
  expect_refused(Constraint::cholesky_factor_correlation(), {1.0, 0.1, 0.6, 0.8}, {2, 2}, {"[0, 1]", "0.1"});
  expect_refused(Constraint::cholesky_factor_correlation(), {1.0, 0.0, 0.6, 0.9}, {2, 2}, {"[1, 1]", "0.9"});
  expect_refused(Constraint::cholesky_factor_correlation(), {1.0, 0.0, 0.6, -0.8}, {2, 2}, {"[1, 1]", "-0.8"});
  expect_refused(Constraint::cholesky_factor_covariance(), {1.0, 0.0, 0.6, -0.8}, {2, 2}, {"[1, 1]", "-0.8"});
  expect_refused(Constraint::correlation_matrix(), {1.0, 0.2, 0.2, 1.1}, {2, 2}, {"[1, 1]", "1.1"});
  expect_refused(Constraint::correlation_matrix(), {1.0, 0.2, 0.3, 1.0}, {2, 2}, {"[1, 0]", "across the diagonal"});
  expect_refused(Constraint::correlation_matrix(), {1.0, -1.2, -1.2, 1.0}, {2, 2}, {"positive definite"});
  expect_refused(Constraint::covariance_matrix(), {1.0, 2.0, 2.0, 1.0}, {2, 2}, {"[1, 1]", "positive definite"});
  expect_refused(Constraint::simplex(), {0.5, 0.5}, {3}, {"3 elements", "2"});
}

}  // namespace
}  // namespace sgmcmc::testing
