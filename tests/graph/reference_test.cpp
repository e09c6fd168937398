// Tests of the reference implementation: dual numbers, scalar functions and finite differences against independent
// numbers.
#include "graph/leaves.hpp"
#include "reference/check_gradient.hpp"
#include "reference/dual.hpp"
#include "reference/finite_difference.hpp"
#include "reference/scalar_functions.hpp"

#include <gtest/gtest.h>

#include <numbers>

namespace sgmcmc::reference {
namespace {

using D = Dual<double>;
using DD = Dual<Dual<double>>;

/// A relative tolerance of a few units in the last place.
void expect_close(double got, double expected, double relative = 1e-14) {
  EXPECT_NEAR(got, expected, relative * std::max(1e-300, std::abs(expected)));
}

TEST(Dual, ProductAndQuotient_FollowTheRules) {
  const D a(3.0, 1.0), b(4.0, 0.5);
  EXPECT_DOUBLE_EQ((a * b).derivative, 1.0 * 4.0 + 3.0 * 0.5);
  EXPECT_DOUBLE_EQ((a / b).derivative, (1.0 * 4.0 - 3.0 * 0.5) / 16.0);
  EXPECT_DOUBLE_EQ((2.0 * a - b + 1.0).derivative, 1.5);
}

TEST(Dual, Nested_GivesSecondDerivatives) {
  const DD x(D(0.7, 1.0), D(1.0, 0.0));
  expect_close(exp(x).derivative.derivative, std::exp(0.7));
  expect_close(sin(x).derivative.derivative, -std::sin(0.7));
  expect_close((x * x * x).derivative.derivative, 6 * 0.7);
  expect_close(pow(x, DD(2.5)).derivative.derivative, 2.5 * 1.5 * std::pow(0.7, 0.5));
  expect_close(lgamma(x).derivative.derivative, boost::math::polygamma(1, 0.7));
}

TEST(Dual, ConstantWithInfiniteSlope_HasNoDerivative) {
  EXPECT_EQ(sqrt(D(0.0)).derivative, 0.0);
  EXPECT_EQ(pow(D(0.0, 1.0), D(2.0)).derivative, 0.0);
  EXPECT_EQ((log(D(0.0)) * D(2.0)).derivative, 0.0);
}

TEST(ScalarFunctions, KnownValues_AreMet) {
  expect_close(functions::digamma(1.0), -std::numbers::egamma);
  expect_close(functions::trigamma(1.0), std::numbers::pi * std::numbers::pi / 6);
  expect_close(functions::tetragamma(1.0), -2.4041138063191886);  // -2 zeta(3)
  expect_close(functions::log_phi(-40.0), -804.60844201375245, 1e-13);
  expect_close(functions::log_phi(-1.0), std::log(0.15865525393145705));
  expect_close(functions::phi(1.0), 0.84134474606854293);
  EXPECT_EQ(functions::log1p_exp(1e4), 1e4);
  EXPECT_EQ(functions::log_logistic(-1e4), -1e4);
  EXPECT_EQ(functions::multiply_log(0.0, 0.0), 0.0);
  EXPECT_EQ(functions::zero_safe_divide(0.0, 0.0), 0.0);
}

TEST(ScalarFunctions, LogPhi_IsTheSameByTailAndByErfc) {
  for (const double x : {-5.0, -6.5, -10.0, -30.0}) {
    expect_close(log_phi_tail(x), std::log(0.5 * std::erfc(-x / std::numbers::sqrt2)), 1e-14);
  }
}

TEST(FiniteDifferences, SmoothFunction_ReachesTenDigits) {
  const auto f = [](const std::vector<double>& x) {
    return std::vector<double>{std::exp(x[0]) * std::sin(x[1]), x[0]};
  };
  const auto got = finite_differences(f, {0.3, 2.0});
  expect_close(got[0], std::exp(0.3) * std::sin(2.0), 1e-10);
  expect_close(got[1], std::exp(0.3) * std::cos(2.0), 1e-10);
  expect_close(got[2], 1.0, 1e-10);
  EXPECT_EQ(got[3], 0.0);
}

TEST(FiniteDifferences, EdgeOfTheDomainAndKinkNearby_AreSteppedAround) {
  const auto f = [](const std::vector<double>& x) { return std::vector<double>{std::log(x[0]), std::abs(x[0])}; };
  const auto got = finite_differences(f, {0.005});
  expect_close(got[0], 200.0, 1e-8);
  expect_close(got[1], 1.0, 1e-10);
}

TEST(ReferenceEvaluator, DeepGraph_DoesNotOverflowTheStack) {
  Expression x = parameter_leaf("x", Shape{}, 0);
  for (int i = 0; i < 50000; ++i) x = x + 1.0;
  EXPECT_EQ(evaluate_naively({x}, {}, {{0.5}, {}, {}}).front().front(), 50000.5);
}

TEST(ReferenceEvaluator, UnknownColumn_IsNamed) {
  try {
    evaluate_naively({row_real("height", Shape{})},
                     {.rows = 1, .weights = {}, .reals = {}, .integers = {}, .sparse = {}}, {});
    FAIL() << "nothing was thrown";
  } catch (const std::logic_error& error) {
    EXPECT_NE(std::string(error.what()).find("height"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace sgmcmc::reference
