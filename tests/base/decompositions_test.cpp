// Decompositions against identities of their matrices.
#include "base/decompositions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

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

TEST(Decompositions, SymmetricEigen_OfMatricesThatAreHardOrTrivial) {
  std::vector<Eigen::MatrixXd> matrices{Eigen::MatrixXd(0, 0), Eigen::MatrixXd::Constant(1, 1, -3.0)};
  matrices.push_back(Eigen::MatrixXd::Zero(5, 5));
  matrices.push_back(2.0 * Eigen::MatrixXd::Identity(6, 6));
  matrices.push_back(Eigen::MatrixXd::Ones(7, 7));  // one eigenvalue of 7, six of 0
  const Eigen::MatrixXd half = some_matrix(40), whole = half + half.transpose();
  matrices.push_back(1e200 * whole);
  matrices.push_back(1e-200 * whole);
  Eigen::MatrixXd graded = whole;
  for (Eigen::Index i = 0; i < 40; ++i) graded.row(i) *= std::pow(10.0, -0.3 * static_cast<double>(i));
  for (Eigen::Index i = 0; i < 40; ++i) graded.col(i) *= std::pow(10.0, -0.3 * static_cast<double>(i));
  matrices.push_back(graded);
  Eigen::MatrixXd wilkinson = Eigen::MatrixXd::Zero(21, 21);  // pairs of eigenvalues that agree to 14 digits
  for (Eigen::Index i = 0; i < 21; ++i) wilkinson(i, i) = std::abs(static_cast<double>(i) - 10);
  wilkinson.diagonal(1).setOnes();
  wilkinson.diagonal(-1).setOnes();
  matrices.push_back(wilkinson);
  for (const Eigen::MatrixXd& matrix : matrices) {
    const Eigen::Index size = matrix.rows();
    const SymmetricEigen found = symmetric_eigen(matrix);
    const double largest = size > 0 ? matrix.cwiseAbs().maxCoeff() : 0;
    const Eigen::MatrixXd again = found.vectors * found.values.asDiagonal() * found.vectors.transpose();
    EXPECT_LE((again - matrix).lpNorm<Eigen::Infinity>(), 1e-13 * static_cast<double>(size) * largest);
    EXPECT_LE((found.vectors.transpose() * found.vectors - Eigen::MatrixXd::Identity(size, size)).norm(), 1e-12);
    EXPECT_TRUE(std::is_sorted(found.values.begin(), found.values.end()));
  }
  Eigen::MatrixXd unknown = whole;
  unknown(7, 3) = NAN;
  EXPECT_TRUE(symmetric_eigen(unknown).values.array().isNaN().all());
  EXPECT_TRUE(symmetric_eigen(unknown).vectors.array().isNaN().all());
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

TEST(Decompositions, PivotedCholesky_SolvesAndRefuses) {
  const Eigen::MatrixXd half = some_matrix(7), right = some_matrix(7).leftCols(3);
  const Eigen::MatrixXd matrix = half * half.transpose() + Eigen::MatrixXd::Identity(7, 7);
  const PivotedCholesky solver(matrix);
  EXPECT_TRUE(solver.succeeded());
  EXPECT_LT((matrix * solver.solve(right) - right).norm(), 1e-12);
  EXPECT_NEAR(std::log(solver.pivots().prod()), 2 * Cholesky(matrix).sum_of_logs(), 1e-11);
  EXPECT_TRUE(PivotedCholesky(Eigen::MatrixXd::Zero(3, 3)).succeeded());
  EXPECT_EQ(PivotedCholesky(Eigen::MatrixXd::Zero(3, 3)).root(), Eigen::MatrixXd::Zero(3, 3));
  Eigen::MatrixXd without_diagonal = Eigen::MatrixXd::Zero(2, 2);
  without_diagonal(1, 0) = 1;
  EXPECT_FALSE(PivotedCholesky(without_diagonal).succeeded());
  EXPECT_FALSE(PivotedCholesky(Eigen::MatrixXd::Constant(3, 3, NAN)).succeeded());
}

TEST(Decompositions, LeastSquares_OfWideAndBadlyScaledDesigns) {
  Eigen::MatrixXd scaled = some_matrix(12).leftCols(5), right = some_matrix(12).rightCols(2);
  for (Eigen::Index j = 0; j < 5; ++j) scaled.col(j) *= std::pow(10.0, 3.0 * static_cast<double>(j) - 6);
  const Eigen::MatrixXd wide = some_matrix(6).topRows(3);
  EXPECT_EQ(LeastSquares(scaled).rank(), 5);
  const Eigen::MatrixXd left = right - scaled * LeastSquares(scaled).solve(right);
  for (Eigen::Index j = 0; j < 5; ++j) EXPECT_LT((scaled.col(j).normalized().transpose() * left).norm(), 1e-12);
  EXPECT_EQ(LeastSquares(wide).rank(), 3);
  EXPECT_LT((wide * LeastSquares(wide).solve(right.topRows(3)) - right.topRows(3)).norm(), 1e-12);
  EXPECT_EQ(LeastSquares(Eigen::MatrixXd::Zero(4, 2)).rank(), 0);
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
