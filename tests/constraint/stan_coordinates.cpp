// The unconstrained coordinates are Stan's: the loops of its reference manual, written out, give the same values.
#include "constraint/evaluate.hpp"

#include <gtest/gtest.h>

namespace sgmcmc::testing {
namespace {

const std::vector<double> u{0.3, -0.8, 1.1, 0.2, -0.5, 0.7, -1.2, 0.9, 0.4, -0.1};

void expect_matrix(const Constraint& constraint, int coordinates_used, const Eigen::MatrixXd& expected) {
  const Shape shape{expected.rows(), expected.cols()};
  ASSERT_EQ(constraint.unconstrained_size(shape), coordinates_used);
  const auto values = values_at(transformed(constraint, shape).value, u);
  for (Eigen::Index i = 0; i < expected.rows(); ++i) {
    for (Eigen::Index j = 0; j < expected.cols(); ++j) {
      EXPECT_NEAR(values[static_cast<std::size_t>(i * expected.cols() + j)], expected(i, j), 1e-14) << i << " " << j;
    }
  }
}

TEST(StanCoordinates, Simplex_StickBreakingWithOffset) {
  const int size = 5;
  const auto values = values_at(transformed(Constraint::simplex(), {size}).value, u);
  double stick = 1;
  for (int k = 0; k + 1 < size; ++k) {
    const double z = 1 / (1 + std::exp(-(u[static_cast<std::size_t>(k)] + std::log(1.0 / (size - 1 - k)))));
    EXPECT_NEAR(values[static_cast<std::size_t>(k)], stick * z, 1e-15);
    stick -= stick * z;
  }
  EXPECT_NEAR(values[4], stick, 1e-15);
}

TEST(StanCoordinates, SimplexAtZero_Uniform) {
  for (double value : values_at(transformed(Constraint::simplex(), {7}).value, std::vector<double>(6, 0.0))) {
    EXPECT_NEAR(value, 1.0 / 7, 1e-15);
  }
}

TEST(StanCoordinates, Ordered_FirstThenLogDifferences) {
  const auto values = values_at(transformed(Constraint::ordered(), {3}).value, u);
  EXPECT_DOUBLE_EQ(values[0], 0.3);
  EXPECT_DOUBLE_EQ(values[1], 0.3 + std::exp(-0.8));
  EXPECT_DOUBLE_EQ(values[2], 0.3 + std::exp(-0.8) + std::exp(1.1));
  const auto positive = values_at(transformed(Constraint::positive_ordered(), {2}).value, u);
  EXPECT_DOUBLE_EQ(positive[0], std::exp(0.3));
  EXPECT_DOUBLE_EQ(positive[1], std::exp(0.3) + std::exp(-0.8));
}

TEST(StanCoordinates, CholeskyFactorCorrelation_PartialCorrelationsRowByRow) {
  const int size = 4;
  Eigen::MatrixXd x = Eigen::MatrixXd::Zero(size, size);
  std::size_t next = 0;
  x(0, 0) = 1;
  for (int i = 1; i < size; ++i) {
    double taken = 0;
    for (int j = 0; j < i; ++j) {
      x(i, j) = std::tanh(u[next++]) * std::sqrt(1 - taken);
      taken += x(i, j) * x(i, j);
    }
    x(i, i) = std::sqrt(1 - taken);
  }
  expect_matrix(Constraint::cholesky_factor_correlation(), 6, x);
}

TEST(StanCoordinates, CorrelationMatrix_PartialCorrelationsColumnByColumn) {
  const int size = 4;
  Eigen::MatrixXd z = Eigen::MatrixXd::Zero(size, size), x = Eigen::MatrixXd::Zero(size, size);
  std::size_t next = 0;
  for (int j = 0; j < size; ++j) {
    for (int i = j + 1; i < size; ++i) z(i, j) = std::tanh(u[next++]);
  }
  for (int i = 0; i < size; ++i) {
    double remaining = 1;
    for (int j = 0; j < i; ++j) {
      x(i, j) = z(i, j) * std::sqrt(remaining);
      remaining *= 1 - z(i, j) * z(i, j);
    }
    x(i, i) = std::sqrt(remaining);
  }
  expect_matrix(Constraint::correlation_matrix(), 6, x * x.transpose());
}

TEST(StanCoordinates, CholeskyFactorCovariance_RowByRowWithLogDiagonal) {
  const int rows = 4, columns = 3;
  Eigen::MatrixXd x = Eigen::MatrixXd::Zero(rows, columns);
  std::size_t next = 0;
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < std::min(i, columns); ++j) x(i, j) = u[next++];
    if (i < columns) x(i, i) = std::exp(u[next++]);
  }
  expect_matrix(Constraint::cholesky_factor_covariance(), 9, x);
}

TEST(StanCoordinates, CovarianceMatrix_ProductOfThatFactor) {
  const int size = 4;
  Eigen::MatrixXd x = Eigen::MatrixXd::Zero(size, size);
  std::size_t next = 0;
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < i; ++j) x(i, j) = u[next++];
    x(i, i) = std::exp(u[next++]);
  }
  expect_matrix(Constraint::covariance_matrix(), 10, x * x.transpose());
}

TEST(StanCoordinates, Bounds_ExponentialAndLogistic) {
  EXPECT_DOUBLE_EQ(values_at(transformed(Constraint::lower(2.0), {}).value, u)[0], 2 + std::exp(0.3));
  EXPECT_DOUBLE_EQ(values_at(transformed(Constraint::upper(2.0), {}).value, u)[0], 2 - std::exp(0.3));
  EXPECT_DOUBLE_EQ(values_at(transformed(Constraint::interval(2.0, 5.0), {}).value, u)[0],
                   2 + 3 / (1 + std::exp(-0.3)));
  EXPECT_DOUBLE_EQ(values_at(transformed(Constraint::offset_multiplier(2.0, 5.0), {}).value, u)[0], 3.5);
}

TEST(StanCoordinates, UnitVector_DividedByItsLength) {
  const auto values = values_at(transformed(Constraint::unit_vector(), {2}).value, {3.0, 4.0});
  EXPECT_DOUBLE_EQ(values[0], 0.6);
  EXPECT_DOUBLE_EQ(values[1], 0.8);
}

}  // namespace
}  // namespace sgmcmc::testing
