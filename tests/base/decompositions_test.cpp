// Decompositions against identities of their matrices.
#include "base/decompositions.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
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

}  // namespace
}  // namespace sgmcmc
