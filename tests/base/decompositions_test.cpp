// Decompositions against identities of their matrices.
#include "base/decompositions.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <span>
#include <stdexcept>

namespace sgmcmc {
namespace {

Eigen::MatrixXd some_matrix(Eigen::Index size) {
  Eigen::MatrixXd matrix(size, size);
  for (Eigen::Index i = 0; i < size; ++i)
    for (Eigen::Index j = 0; j < size; ++j)
      matrix(i, j) = std::sin(1.0 + static_cast<double>(3 * i * i + 7 * j + i * j));
  return matrix;
}

TEST(Decompositions, SymmetricEigen_MakesTheMatrixAgain) {
  const Eigen::MatrixXd half = some_matrix(9), matrix = half + half.transpose();
  const SymmetricEigen found = symmetric_eigen(matrix);
  const Eigen::MatrixXd again = found.vectors * found.values.asDiagonal() * found.vectors.transpose();
  EXPECT_LT((again - matrix).norm(), 1e-12 * matrix.norm());
  for (Eigen::Index k = 0; k + 1 < 9; ++k) EXPECT_LE(found.values[k], found.values[k + 1]);
}

TEST(Decompositions, NuclearNorm_IsTheSumOfSingularValuesWhateverTheRotations) {
  for (const Eigen::Index size : {1, 2, 5, 40}) {
    const Eigen::MatrixXd half = some_matrix(size);
    const Eigen::MatrixXd left = symmetric_eigen(half + half.transpose()).vectors;
    const Eigen::MatrixXd right = symmetric_eigen(half * half.transpose()).vectors;
    Eigen::VectorXd values(size);
    for (Eigen::Index k = 0; k < size; ++k) values[k] = std::pow(10.0, -static_cast<double>(k) / 3);
    const Eigen::MatrixXd matrix = left * values.asDiagonal() * right.transpose();
    EXPECT_NEAR(nuclear_norm(matrix), values.sum(), 1e-13 * values.sum()) << size;
  }
}

TEST(Decompositions, NuclearNormOfSpecialMatrices_IsZeroNaNOrRefused) {
  EXPECT_EQ(nuclear_norm(Eigen::MatrixXd(0, 0)), 0.0);
  EXPECT_EQ(nuclear_norm(Eigen::MatrixXd::Zero(4, 4)), 0.0);
  Eigen::MatrixXd bad = some_matrix(3);
  bad(1, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(nuclear_norm(bad)));
  EXPECT_THROW(nuclear_norm(Eigen::MatrixXd(2, 3)), std::invalid_argument);
}

TEST(Decompositions, Cholesky_SolvesWithEachFactor) {
  const Eigen::MatrixXd half = some_matrix(7);
  const Eigen::MatrixXd matrix = half * half.transpose() + Eigen::MatrixXd::Identity(7, 7);
  const Cholesky factor(matrix);
  ASSERT_TRUE(factor.succeeded());
  const Eigen::MatrixXd lower = factor.lower();
  EXPECT_LT((lower * lower.transpose() - matrix).norm(), 1e-12);
  EXPECT_LT((matrix * factor.inverse() - Eigen::MatrixXd::Identity(7, 7)).norm(), 1e-12);
  EXPECT_LT((matrix * factor.solve(half) - half).norm(), 1e-12);
  EXPECT_LT((lower * factor.solve_lower(half) - half).norm(), 1e-12);
  EXPECT_LT((lower.transpose() * factor.solve_upper(half) - half).norm(), 1e-12);
  EXPECT_NEAR(2 * factor.sum_of_logs(), std::log(matrix.determinant()), 1e-12);
  const Eigen::VectorXd right = half.col(2);
  Eigen::VectorXd x = right;
  factor.solve_lower_in_place({x.data(), 7});
  factor.solve_upper_in_place({x.data(), 7});
  EXPECT_EQ(x, factor.solve(right));
  EXPECT_FALSE(Cholesky(-matrix).succeeded());
}

TEST(Decompositions, PivotedCholesky_HasARootOfASingularMatrix) {
  const Eigen::MatrixXd half = some_matrix(6).leftCols(3), matrix = half * half.transpose();
  const Eigen::MatrixXd root = PivotedCholesky(matrix).root();
  EXPECT_LT((root * root.transpose() - matrix).norm(), 1e-7);
}

TEST(Decompositions, LeastSquares_OfARankDeficientDesign) {
  Eigen::MatrixXd design = some_matrix(8).leftCols(4);
  design.col(3) = design.col(0) + design.col(1);
  const LeastSquares solver(design);
  EXPECT_EQ(solver.rank(), 3);
  const Eigen::MatrixXd right = some_matrix(8).rightCols(2);
  EXPECT_LT((design.transpose() * (right - design * solver.solve(right))).norm(), 1e-12);
  const Eigen::VectorXd wanted = design.transpose() * right.col(0);
  const Eigen::VectorXd t = solver.shortest_of_transposed(wanted);
  EXPECT_LT((design.transpose() * t - wanted).norm(), 1e-12);
  EXPECT_LT(t.norm(), right.col(0).norm());
}

TEST(Decompositions, LowerTriangularFunctions_IgnoreTheUpperTriangle) {
  for (const Eigen::Index size : {5, 130}) {
    Eigen::MatrixXd whole = 0.1 * some_matrix(size);
    whole.diagonal().array() += 2.0;
    const Eigen::MatrixXd lower = whole.triangularView<Eigen::Lower>(), right = some_matrix(size);
    const Eigen::VectorXd one = right.col(1);
    const std::span<const double> numbers(one.data(), static_cast<std::size_t>(size));
    EXPECT_LT((lower_product(whole, right) - lower * right).norm(), 1e-11);
    EXPECT_LT((plus_lower_product(one, whole, numbers) - one - lower * one).norm(), 1e-11);
    EXPECT_LT((lower_transposed_product(whole, numbers) - lower.transpose() * one).norm(), 1e-11);
    EXPECT_LT((lower * lower_solve(whole, right) - right).norm(), 1e-11);
    Eigen::VectorXd x = one;
    lower_solve_in_place({whole.data(), size, size}, {x.data(), size});
    EXPECT_LT((lower * x - one).norm(), 1e-11);
    lower_transposed_solve_in_place({whole.data(), size, size}, {x.data(), size});
    EXPECT_LT((lower * (lower.transpose() * x) - one).norm(), 1e-10);
    Eigen::MatrixXd inverse = lower;
    invert_lower(inverse);
    EXPECT_LT((lower * inverse - Eigen::MatrixXd::Identity(size, size)).norm(), 1e-10);
  }
}

}  // namespace
}  // namespace sgmcmc
