// Every constraint: its values satisfy it, its log-Jacobian matches its derivative, and unconstrain inverts apply.
#include "constraint/evaluate.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>

namespace sgmcmc::testing {
namespace {

struct Case {
  std::string name;
  Constraint constraint;
  Shape shape;
  /// Whether element (row, column) of a block is one of as many free coordinates as there are unconstrained ones; empty
  /// where there is no such choice.
  std::function<bool(std::int64_t, std::int64_t)> free;
  /// Whether a block satisfies the constraint; (row, column) -> value.
  std::function<bool(const std::function<double(std::int64_t, std::int64_t)>&)> holds;

  std::int64_t size() const { return constraint.unconstrained_size(shape); }
  std::int64_t columns() const { return shape.is_scalar() ? 1 : shape[shape.rank() - 1]; }
  std::int64_t rows() const {
    const bool matrix = constraint.name().find("matrix") != std::string::npos ||
                        constraint.name().find("cholesky") != std::string::npos;
    return matrix ? shape[shape.rank() - 2] : 1;
  }
  std::int64_t groups() const { return shape.size() / (rows() * columns()); }

  /// Coordinates in (-1.5, 1.5), all different.
  std::vector<double> ordinary_point() const {
    std::vector<double> u;
    for (std::int64_t i = 0; i < size(); ++i) u.push_back(1.5 * std::sin(1.0 + 2.3 * static_cast<double>(i)));
    return u;
  }
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

using Block = std::function<double(std::int64_t, std::int64_t)>;
const auto always = [](std::int64_t, std::int64_t) { return true; };
const auto below = [](std::int64_t i, std::int64_t j) { return j < i; };
const auto triangle = [](std::int64_t i, std::int64_t j) { return j <= i; };

std::function<bool(const Block&)> sums_to_one(std::int64_t size) {
  return [=](const Block& x) {
    double total = 0;
    bool not_negative = true;
    for (std::int64_t k = 0; k < size; ++k) {
      total += x(0, k);
      not_negative = not_negative && x(0, k) >= 0;
    }
    return not_negative && std::abs(total - 1) < 1e-12;
  };
}

std::function<bool(const Block&)> increasing(std::int64_t size, double from) {
  return [=](const Block& x) {
    bool holds = x(0, 0) >= from;
    for (std::int64_t k = 1; k < size; ++k) holds = holds && x(0, k) >= x(0, k - 1);
    return holds;
  };
}

std::function<bool(const Block&)> lower_triangular(std::int64_t rows, std::int64_t columns, bool unit_rows) {
  return [=](const Block& x) {
    bool holds = true;
    for (std::int64_t i = 0; i < rows; ++i) {
      double length = 0;
      for (std::int64_t j = 0; j < columns; ++j) {
        holds = holds && (j <= i || x(i, j) == 0) && (j != i || x(i, j) > 0);
        length += x(i, j) * x(i, j);
      }
      holds = holds && (!unit_rows || std::abs(length - 1) < 1e-12);
    }
    return holds;
  };
}

std::function<bool(const Block&)> positive_definite(std::int64_t size, bool unit_diagonal) {
  return [=](const Block& x) {
    Eigen::MatrixXd matrix(size, size);
    bool holds = true;
    for (std::int64_t i = 0; i < size; ++i) {
      for (std::int64_t j = 0; j < size; ++j) matrix(i, j) = x(i, j);
      holds = holds && (!unit_diagonal || x(i, i) == 1.0);
    }
    return holds && matrix.isApprox(matrix.transpose(), 1e-14) && matrix.llt().info() == Eigen::Success;
  };
}

std::string suffix_of(const Shape& shape) {
  std::string suffix;
  for (auto dim : shape.dims()) suffix.append("_").append(std::to_string(dim));
  return suffix;
}

std::vector<Case> cases() {
  const auto vector_bound = constant({-1.0, 0.5, 2.0});
  std::vector<Case> all{
      {"unconstrained", Constraint::unconstrained(), {2, 3}, always, [](const Block&) { return true; }},
      {"lower_scalar", Constraint::lower(-2.0), {}, always, [](const Block& x) { return x(0, 0) >= -2.0; }},
      {"lower_vector",
       Constraint::lower(vector_bound),
       {2, 3},
       always,
       [](const Block& x) { return x(0, 0) >= -1.0 && x(0, 1) >= 0.5 && x(0, 2) >= 2.0; }},
      {"upper", Constraint::upper(3.0), {2}, always, [](const Block& x) { return x(0, 0) <= 3 && x(0, 1) <= 3; }},
      {"interval",
       Constraint::interval(vector_bound, 4.0),
       {2, 3},
       always,
       [](const Block& x) { return x(0, 1) >= 0.5 && x(0, 1) <= 4.0 && x(0, 2) >= 2.0 && x(0, 2) <= 4.0; }},
      {"offset_multiplier",
       Constraint::offset_multiplier(1.5, constant({0.5, 2.0, 3.0})),
       {2, 3},
       always,
       [](const Block&) { return true; }},
  };
  for (const Shape& shape : {Shape{2}, Shape{5}, Shape{2, 2, 4}}) {
    const std::int64_t size = shape[shape.rank() - 1];
    const std::string suffix = suffix_of(shape);
    all.push_back({"simplex" + suffix, Constraint::simplex(), shape,
                   [size](std::int64_t, std::int64_t j) { return j + 1 < size; }, sums_to_one(size)});
    all.push_back({"ordered" + suffix, Constraint::ordered(), shape, always,
                   increasing(size, -std::numeric_limits<double>::infinity())});
    all.push_back({"positive_ordered" + suffix, Constraint::positive_ordered(), shape, always, increasing(size, 0.0)});
    all.push_back({"unit_vector" + suffix, Constraint::unit_vector(), shape, {}, [size](const Block& x) {
                     double length = 0;
                     for (std::int64_t k = 0; k < size; ++k) length += x(0, k) * x(0, k);
                     return std::abs(length - 1) < 1e-14;
                   }});
  }
  for (const Shape& shape : {Shape{2, 2}, Shape{4, 4}, Shape{3, 3, 3}, Shape{2, 9, 9}}) {
    const std::int64_t size = shape[shape.rank() - 1];
    const std::string suffix = suffix_of(shape);
    all.push_back({"cholesky_factor_correlation" + suffix, Constraint::cholesky_factor_correlation(), shape, below,
                   lower_triangular(size, size, true)});
    all.push_back({"cholesky_factor_covariance" + suffix, Constraint::cholesky_factor_covariance(), shape, triangle,
                   lower_triangular(size, size, false)});
    all.push_back(
        {"correlation_matrix" + suffix, Constraint::correlation_matrix(), shape, below, positive_definite(size, true)});
    all.push_back({"covariance_matrix" + suffix, Constraint::covariance_matrix(), shape, triangle,
                   positive_definite(size, false)});
  }
  all.push_back({"cholesky_factor_covariance_tall",
                 Constraint::cholesky_factor_covariance(),
                 {2, 5, 3},
                 triangle,
                 lower_triangular(5, 3, false)});
  all.push_back(
      {"covariance_matrix_of_one", Constraint::covariance_matrix(), {1, 1}, triangle, positive_definite(1, false)});
  return all;
}

class Transform : public ::testing::TestWithParam<Case> {
 protected:
  void expect_holds(const std::vector<double>& values) {
    const auto& one = GetParam();
    for (std::int64_t g = 0; g < one.groups(); ++g) {
      const auto block = [&](std::int64_t i, std::int64_t j) {
        return values[static_cast<std::size_t>((g * one.rows() + i) * one.columns() + j)];
      };
      EXPECT_TRUE(one.holds(block)) << "block " << g;
    }
  }
};

TEST_P(Transform, OrdinaryCoordinates_ValuesKeepTheConstraint) {
  const auto& one = GetParam();
  const auto result = transformed(one.constraint, one.shape);
  EXPECT_EQ(result.value.shape(), one.shape);
  EXPECT_TRUE(result.log_jacobian.shape().is_scalar());
  expect_holds(values_at(result.value, one.ordinary_point()));
}

TEST_P(Transform, OrdinaryCoordinates_UnconstrainGivesThemBack) {
  const auto& one = GetParam();
  const auto u = one.ordinary_point();
  const auto values = values_at(transformed(one.constraint, one.shape).value, u);
  const auto back = one.constraint.unconstrain(values, one.shape);
  ASSERT_EQ(back.size(), u.size());
  if (one.free) {
    for (std::size_t i = 0; i < u.size(); ++i) EXPECT_NEAR(back[i], u[i], 1e-9) << i;
  }
  const auto again = values_at(transformed(one.constraint, one.shape).value, back);
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(again[i], values[i], 1e-11) << i;
}

TEST_P(Transform, OrdinaryCoordinates_LogJacobianIsThatOfTheDerivative) {
  const auto& one = GetParam();
  const auto result = transformed(one.constraint, one.shape);
  const auto u = one.ordinary_point();
  const double log_jacobian = values_at(result.log_jacobian, u)[0];
  if (!one.free) {  // unit vectors: the density of a standard normal, up to its constant
    double half_square = 0;
    for (double coordinate : u) half_square += 0.5 * coordinate * coordinate;
    EXPECT_NEAR(log_jacobian, -half_square, 1e-12);
    return;
  }
  std::vector<std::size_t> positions;
  for (std::int64_t flat = 0; flat < one.shape.size(); ++flat) {
    const std::int64_t in_block = flat % (one.rows() * one.columns());
    if (one.free(in_block / one.columns(), in_block % one.columns()))
      positions.push_back(static_cast<std::size_t>(flat));
  }
  ASSERT_EQ(positions.size(), u.size());
  const double expected = log_determinant_by_duals(result.value, u, positions);
  EXPECT_NEAR(log_jacobian, expected, 1e-9 * std::max(1.0, std::abs(expected)));
}

TEST_P(Transform, ValueAndLogJacobian_GradientsAgreeWithDualsAndDifferences) {
  const auto& one = GetParam();
  const auto result = transformed(one.constraint, one.shape);
  std::vector<double> weights;
  for (std::int64_t i = 0; i < one.shape.size(); ++i) weights.push_back(std::cos(0.7 + static_cast<double>(i)));
  const reference::ParameterVectors<double> point{one.ordinary_point(), {}, {}};
  const auto of_value = reference::check_gradient(sum(result.value * constant(weights, one.shape)), {}, point);
  EXPECT_TRUE(of_value.agrees()) << of_value.failure;
  const auto of_jacobian = reference::check_gradient(result.log_jacobian, {}, point);
  EXPECT_TRUE(of_jacobian.agrees()) << of_jacobian.failure;
}

TEST_P(Transform, CoordinatesOfFifty_EverythingFinite) {
  const auto& one = GetParam();
  const auto result = transformed(one.constraint, one.shape);
  for (int pattern = 0; pattern < 3; ++pattern) {
    std::vector<double> u;
    for (std::int64_t i = 0; i < one.size(); ++i)
      u.push_back(pattern == 0 || (pattern == 2 && i % 2 == 0) ? 50.0 : -50.0);
    EXPECT_TRUE(std::isfinite(values_at(result.log_jacobian, u)[0])) << pattern;
    for (double value : values_at(result.value, u)) EXPECT_TRUE(std::isfinite(value)) << pattern;
    const auto target = sum(result.value) + result.log_jacobian;
    const auto leaves = reference::parameter_leaves(target);
    for (double slope : values_at(differentiate(target, leaves)[0], u)) EXPECT_TRUE(std::isfinite(slope)) << pattern;
  }
}

INSTANTIATE_TEST_SUITE_P(Constraints, Transform, ::testing::ValuesIn(cases()),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace sgmcmc::testing
