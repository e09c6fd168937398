// Quadrature rules are exact for polynomials of their degree.
#include "groups/quadrature.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace sgmcmc {
namespace {

double moment(const Quadrature& rule, std::size_t axis, int power) {
  double sum = 0;
  for (std::size_t k = 0; k < rule.count(); ++k)
    sum += std::exp(rule.log_weights[k]) * std::pow(rule.points[k * rule.dimension + axis], power);
  return sum;
}

TEST(Quadrature, GaussHermite_IsExactForPolynomials) {
  const auto rule = gauss_hermite(2, 5);
  EXPECT_EQ(rule.count(), 25u);
  const double expected[] = {1, 0, 1, 0, 3, 0, 15, 0, 105, 0};
  for (std::size_t axis = 0; axis < 2; ++axis)
    for (int power = 0; power < 10; ++power) EXPECT_NEAR(moment(rule, axis, power), expected[power], 1e-11) << power;
}

TEST(Quadrature, RulesToChooseFrom_GrowFinerAndCoverSixDimensions) {
  for (std::size_t dimension = 1; dimension <= 6; ++dimension) {
    const auto rules = quadrature_rules(dimension);
    ASSERT_GE(rules.size(), 2u);
    for (std::size_t k = 1; k < rules.size(); ++k) EXPECT_GT(rules[k].count(), rules[k - 1].count());
  }
}

}  // namespace
}  // namespace sgmcmc
