// Values of the public functions, against numbers computed by hand.
#include "graph/leaves.hpp"
#include "reference/cases.hpp"
#include "reference/check_gradient.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace sgmcmc {
namespace {

using Numbers = std::vector<double>;
constexpr double infinity = std::numeric_limits<double>::infinity();

Numbers value_of(const Expression& x, const reference::RowTable& rows = {}) {
  return reference::evaluate_naively({x}, rows, {}).front();
}

void expect_value(const Expression& x, const Shape& shape, const Numbers& expected) {
  EXPECT_EQ(x.shape(), shape) << x.shape().to_string();
  const auto got = value_of(x);
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_DOUBLE_EQ(got[i], expected[i]) << "element " << i;
}

void expect_scalar(const Expression& x, double expected) { expect_value(x, Shape{}, {expected}); }

/// [[1, 2, 3], [4, 5, 6]]
Expression counting() { return constant({1, 2, 3, 4, 5, 6}, Shape{2, 3}); }

/// Two rows: x = 2, 5; z = [1, 2], [3, 4]; k = 1, 0; u = [0, 7, 0], [1, 0, 2]; weights 10, 100.
reference::RowTable two_rows() {
  return {.rows = 2,
          .weights = {10, 100},
          .reals = {{"x", {2, 5}}, {"z", {1, 2, 3, 4}}},
          .integers = {{"k", {1, 0}}, {"kk", {1, 0, 2, 2}}},
          .sparse = {{"u", {0, 7, 0, 1, 0, 2}}}};
}
const Expression& row_x() {
  static const Expression x = row_real("x", Shape{});
  return x;
}

TEST(Elementwise, Broadcasting_AlignsTheLastAxes) {
  expect_value(counting() + constant({10, 20, 30}), Shape{2, 3}, {11, 22, 33, 14, 25, 36});
  expect_value(constant({10, 20, 30}) - counting(), Shape{2, 3}, {9, 18, 27, 6, 15, 24});
  expect_value(counting() * constant({2, 3}, Shape{2, 1}), Shape{2, 3}, {2, 4, 6, 12, 15, 18});
  expect_value(constant({1, 2}, Shape{2, 1}) / constant({1, 2, 4}), Shape{2, 3}, {1, 0.5, 0.25, 2, 1, 0.5});
  expect_value(counting() * 2.0, Shape{2, 3}, {2, 4, 6, 8, 10, 12});
  expect_value(1 + constant({5}, Shape{1}), Shape{1}, {6});
}

TEST(Elementwise, NeutralConstants_KeepShapeAndValue) {
  const auto x = constant({3, 4});
  expect_value(x + 0.0, Shape{2}, {3, 4});
  expect_value(0.0 - x, Shape{2}, {-3, -4});
  expect_value(x * 1.0, Shape{2}, {3, 4});
  expect_value(-1.0 * x, Shape{2}, {-3, -4});
  expect_value(x / 1.0, Shape{2}, {3, 4});
  expect_value(Expression(5.0) + constant({0, 0}), Shape{2}, {5, 5});
  expect_value(Expression(5.0) * constant({1, 1, 1}), Shape{3}, {5, 5, 5});
  expect_value(-(-x), Shape{2}, {3, 4});
}

TEST(Elementwise, Powers_AreExactAtSpecialExponents) {
  const auto x = constant({-3, 4});
  expect_value(pow(x, 2), Shape{2}, {9, 16});
  expect_value(pow(x, 1), Shape{2}, {-3, 4});
  expect_value(pow(x, 3), Shape{2}, {-27, 64});
  expect_value(pow(x, -1), Shape{2}, {-1.0 / 3, 0.25});
  expect_value(pow(constant({9, 0}), 0.5), Shape{2}, {3, 0});
  expect_value(pow(x, constant({2, 0})), Shape{2}, {9, 1});
  expect_value(pow(0.0, constant({2, 0})), Shape{2}, {0, 1});
}

TEST(Elementwise, FunctionsOfOneArgument_MeetKnownValues) {
  expect_scalar(exp(Expression(1.0)), std::numbers::e);
  expect_scalar(log(Expression(std::numbers::e)), 1);
  expect_scalar(log1p(Expression(1e-20)), 1e-20);
  expect_scalar(expm1(Expression(1e-20)), 1e-20);
  expect_value(logistic(constant({0, 1000, -1000})), Shape{3}, {0.5, 1, 0});
  expect_scalar(logit(Expression(0.75)), std::log(3.0));
  expect_value(log_logistic(constant({0, -1000, 1000})), Shape{3}, {-std::numbers::ln2, -1000, 0});
  expect_value(log1p_exp(constant({0, -1000, 1000})), Shape{3}, {std::numbers::ln2, 0, 1000});
  expect_scalar(log1m(Expression(0.25)), std::log(0.75));
  expect_value(log1m_exp(constant({std::log(0.25), -1e-20, -1000})), Shape{3}, {std::log(0.75), std::log(1e-20), -0.0});
  expect_value(abs(constant({-2, 0, 3})), Shape{3}, {2, 0, 3});
  expect_value(sign(constant({-2, 0, 3})), Shape{3}, {-1, 0, 1});
  expect_value(floor(constant({-1.5, 1.5})), Shape{2}, {-2, 1});
  expect_value(ceil(constant({-1.5, 1.5})), Shape{2}, {-1, 2});
  expect_value(round(constant({-1.6, 1.4, 2.0})), Shape{3}, {-2, 1, 2});
  expect_scalar(lgamma(Expression(5.0)), std::log(24.0));
  expect_scalar(digamma(Expression(1.0)), -std::numbers::egamma);
  expect_scalar(trigamma(Expression(1.0)), std::numbers::pi * std::numbers::pi / 6);
  expect_scalar(Phi(Expression(0.0)), 0.5);
  expect_scalar(log_Phi(Expression(0.0)), -std::numbers::ln2);
  expect_scalar(erf(Expression(1.0)) + erfc(Expression(1.0)), 1);
  expect_scalar(square(sin(Expression(0.7))) + square(cos(Expression(0.7))), 1);
  expect_scalar(tan(Expression(0.7)) * cos(Expression(0.7)), std::sin(0.7));
  expect_scalar(square(cosh(Expression(0.7))) - square(sinh(Expression(0.7))), 1);
  expect_scalar(asin(Expression(0.3)) + acos(Expression(0.3)), std::numbers::pi / 2);
  expect_scalar(atan(Expression(1.0)), std::numbers::pi / 4);
  expect_scalar(tanh(Expression(0.5)), 2 / (1 + std::exp(-1.0)) - 1);
  expect_scalar(reciprocal(Expression(8.0)), 0.125);
  expect_scalar(sqrt(Expression(2.25)), 1.5);
}

TEST(Elementwise, FunctionsOfTwoArguments_MeetKnownValues) {
  expect_value(max(constant({1, 5}), constant({3, 2})), Shape{2}, {3, 5});
  expect_value(min(constant({1, 5}), 2.0), Shape{2}, {1, 2});
  expect_scalar(log_add_exp(std::log(3.0), std::log(5.0)), std::log(8.0));
  expect_scalar(log_add_exp(-infinity, 2.0), 2.0);
  expect_scalar(log_add_exp(-infinity, -infinity), -infinity);
  expect_scalar(log_add_exp(1000.0, 1000.0), 1000 + std::numbers::ln2);
  expect_scalar(log_diff_exp(std::log(5.0), std::log(3.0)), std::log(2.0));
  expect_value(multiply_log(constant({0, 2}), constant({0, 3})), Shape{2}, {0, 2 * std::log(3.0)});
}

TEST(Elementwise, Comparisons_GiveOnesAndZeros) {
  const auto a = constant({1, 2, 3}), b = constant({2, 2, 2});
  expect_value(a < b, Shape{3}, {1, 0, 0});
  expect_value(a <= b, Shape{3}, {1, 1, 0});
  expect_value(a > b, Shape{3}, {0, 0, 1});
  expect_value(a >= b, Shape{3}, {0, 1, 1});
  expect_value(equal(a, b), Shape{3}, {0, 1, 0});
  expect_value(not_equal(a, b), Shape{3}, {1, 0, 1});
  expect_value(select(a < b, -a, constant({7})), Shape{3}, {-1, 7, 7});
  expect_value(select(constant({0, -2}, Shape{2, 1}), a, 0.0), Shape{2, 3}, {0, 0, 0, 1, 2, 3});
}

TEST(Reduction, EveryAxis_MeetsHandComputedValues) {
  expect_scalar(sum(counting()), 21);
  expect_value(sum(counting(), 0), Shape{3}, {5, 7, 9});
  expect_value(sum(counting(), 1), Shape{2}, {6, 15});
  expect_value(sum(counting(), -2), Shape{3}, {5, 7, 9});
  expect_value(sum(constant({1, 2, 3, 4, 5, 6, 7, 8}, Shape{2, 2, 2}), 1), Shape{2, 2}, {4, 6, 12, 14});
  expect_scalar(sum(Expression(3.0)), 3);
  expect_scalar(mean(counting()), 3.5);
  expect_scalar(maximum(counting()), 6);
  expect_value(maximum(counting(), 0), Shape{3}, {4, 5, 6});
  expect_value(maximum(counting(), 1), Shape{2}, {3, 6});
  expect_scalar(minimum(counting()), 1);
  expect_scalar(log_sum_exp(log(counting())), std::log(21.0));
  expect_value(log_sum_exp(log(counting()), 0), Shape{3}, {std::log(5.0), std::log(7.0), std::log(9.0)});
  expect_scalar(log_sum_exp(constant({-infinity, 3})), 3);
  expect_scalar(log_sum_exp(constant({-infinity, -infinity})), -infinity);
  expect_value(softmax(log(counting())), Shape{2, 3}, {1.0 / 6, 2.0 / 6, 3.0 / 6, 4.0 / 15, 5.0 / 15, 6.0 / 15});
  expect_value(log_softmax(constant({2000, 2000})), Shape{2}, {-std::numbers::ln2, -std::numbers::ln2});
  expect_value(cumulative_sum(counting()), Shape{2, 3}, {1, 3, 6, 4, 9, 15});
}

TEST(LinearAlgebra, Products_MeetHandComputedValues) {
  const auto v = constant({1, 0, -1}), w = constant({2, 5});
  expect_scalar(dot(v, constant({4, 5, 7})), -3);
  expect_scalar(dot(counting(), counting()), 91);
  expect_scalar(dot(Expression(2.0), Expression(3.0)), 6);
  expect_value(matmul(counting(), v), Shape{2}, {-2, -2});
  expect_value(matmul(w, counting()), Shape{3}, {22, 29, 36});
  expect_value(matmul(counting(), transpose(counting())), Shape{2, 2}, {14, 32, 32, 77});
  expect_value(outer(w, v), Shape{2, 3}, {2, 0, -2, 5, 0, -5});
  expect_value(transpose(counting()), Shape{3, 2}, {1, 4, 2, 5, 3, 6});
  expect_value(diagonal(constant({1, 2, 3, 4}, Shape{2, 2})), Shape{2}, {1, 4});
  expect_value(diagonal_matrix(w), Shape{2, 2}, {2, 0, 0, 5});
}

TEST(LinearAlgebra, FactorsAndSolves_ReadOnlyTheLowerTriangle) {
  const auto a = constant({4, 99, 2, 3}, Shape{2, 2});
  expect_value(cholesky(a), Shape{2, 2}, {2, 0, 1, std::sqrt(2.0)});
  expect_scalar(log_determinant_spd(a), std::log(8.0));
  const auto lower = constant({2, 99, 1, 4}, Shape{2, 2});
  expect_value(solve_triangular(lower, constant({6, 11})), Shape{2}, {3, 2});
  expect_value(solve_triangular(lower, constant({8, 12}), Triangle::lower_transposed), Shape{2}, {2.5, 3});
  expect_value(solve_triangular(lower, constant({6, 2, 11, 5}, Shape{2, 2})), Shape{2, 2}, {3, 1, 2, 1});
}

TEST(LinearAlgebra, GeneralMatrices_MeetHandComputedValues) {
  const auto a = constant({0, 2, 3, 1}, Shape{2, 2}), spd = constant({4, 99, 2, 3}, Shape{2, 2});
  expect_value(solve(a, constant({4, 5})), Shape{2}, {1, 2});
  expect_value(solve_transposed(a, constant({6, 4})), Shape{2}, {1, 2});
  expect_value(mdivide_right(constant({6, 4}), a), Shape{2}, {1, 2});
  expect_value(mdivide_right(constant({6, 4, 3, 3}, Shape{2, 2}), a), Shape{2, 2}, {1, 2, 1, 1});
  expect_value(mdivide_left_spd(spd, constant({8, 8})), Shape{2}, {1, 2});
  expect_value(matmul(inverse(a), constant({6, 12})), Shape{2}, {3, 3});
  expect_value(inverse_spd(spd), Shape{2, 2}, {3.0 / 8, -0.25, -0.25, 0.5});
  expect_scalar(determinant(a), -6);
  expect_scalar(log_determinant(a), std::log(6.0));
  expect_value(crossprod(counting()), Shape{3, 3}, {17, 22, 27, 22, 29, 36, 27, 36, 45});
  expect_value(tcrossprod(counting()), Shape{2, 2}, {14, 32, 32, 77});
  expect_value(multiply_lower_tri_self_transpose(constant({2, 99, 1, 4}, Shape{2, 2})), Shape{2, 2}, {4, 2, 2, 17});
  expect_scalar(quad_form(a, constant({1, 2})), 14);
  expect_value(quad_form(a, constant({1, 2}, Shape{2, 1})), Shape{1, 1}, {14});
  expect_scalar(trace(a), 1);
  expect_scalar(trace_quad_form(a, counting()), 237);
  expect_scalar(trace_gen_quad_form(constant({0, 1, 0, 0}, Shape{2, 2}), a, a), 15);
  expect_value(eigenvalues_sym(constant({3, 99, 1, 3}, Shape{2, 2})), Shape{2}, {2, 4});
  expect_value(square(eigenvectors_sym(constant({3, 99, 1, 3}, Shape{2, 2}))), Shape{2, 2}, {0.5, 0.5, 0.5, 0.5});
  expect_value(singular_values(constant({0, 2, -3, 0}, Shape{2, 2})), Shape{2}, {3, 2});
  expect_value(matrix_exp(constant({0, 1, 0, 0}, Shape{2, 2})), Shape{2, 2}, {1, 1, 0, 1});
}

TEST(Elementwise, SpecialFunctions_MeetKnownValues) {
  const double pi = std::numbers::pi;
  const auto near = [](const Expression& x, double expected) {
    EXPECT_NEAR(value_of(x).at(0), expected, 1e-13 * std::max(1.0, std::abs(expected)));
  };
  near(inv_Phi(0.8413447460685429), 1);
  near(Phi_approx(1.0), 1 / (1 + std::exp(-(0.07056 + 1.5976))));
  near(asinh(Expression(std::sinh(0.7))), 0.7);
  near(acosh(Expression(std::cosh(0.7))), 0.7);
  near(atanh(Expression(std::tanh(0.7))), 0.7);
  near(cbrt(Expression(-27.0)), -3);
  near(exp2(Expression(10.0)), 1024);
  near(log2(Expression(1024.0)), 10);
  near(log10(Expression(1000.0)), 3);
  near(inv_sqrt(Expression(4.0)), 0.5);
  near(inv_square(Expression(2.0)), 0.25);
  near(inv_cloglog(Expression(0.0)), 1 - std::exp(-1.0));
  near(tgamma(Expression(5.0)), 24);
  near(lambert_w0(Expression(std::numbers::e)), 1);
  expect_value(trunc(constant({-1.5, 1.5})), Shape{2}, {-1, 1});
  expect_value(step(constant({-1, 0, 1})), Shape{3}, {0, 1, 1});
  expect_value(int_step(constant({-1, 0, 1})), Shape{3}, {0, 0, 1});
  expect_value(atan2(constant({1, 1, -1, -1}), constant({1, -1, -1, 1})), Shape{4},
               {pi / 4, 3 * pi / 4, -3 * pi / 4, -pi / 4});
  expect_scalar(hypot(3.0, 4.0), 5);
  expect_value(fdim(constant({3, 1}), 2.0), Shape{2}, {1, 0});
  expect_value(fmod(constant({7, -7}), 3.0), Shape{2}, {1, -1});
  near(lbeta(3.0, 4.0), std::log(1.0 / 60));
  near(lchoose(10.0, 3.0), std::log(120.0));
  near(lmgamma(2, 3.0), 0.5 * std::log(pi) + std::lgamma(3.0) + std::lgamma(2.5));
  expect_scalar(falling_factorial(5.0, 3.0), 60);
  expect_scalar(falling_factorial(1.0, 3.0), 0);
  expect_scalar(rising_factorial(5.0, 3.0), 210);
  near(log_falling_factorial(5.0, 3.0), std::log(60.0));
  near(log_rising_factorial(5.0, 3.0), std::log(210.0));
  near(owens_t(0.0, 1.0), 0.125);
  near(gamma_p(1.0, 2.0), 1 - std::exp(-2.0));
  near(gamma_q(2.0, 3.0), 4 * std::exp(-3.0));
  near(inc_beta(2.0, 1.0, 0.3), 0.09);
  near(inc_beta(1.0, 3.0, 0.3), 1 - 0.343);
  near(bessel_first_kind(0, 1.0), 0.76519768655796655);
  near(bessel_second_kind(1, 1.0), -0.78121282130028872);
  near(modified_bessel_first_kind(0, 1.0), 1.2660658777520084);
  near(modified_bessel_second_kind(1, 1.0), 0.60190723019723458);
}

TEST(Arranging, FixedPositions_MeetHandComputedValues) {
  expect_value(take(counting(), {5, -1, 0, 0}, Shape{2, 2}), Shape{2, 2}, {6, 0, 1, 1});
  expect_value(slice(counting(), 1, 1), Shape{1, 3}, {4, 5, 6});
  expect_value(slice(constant({1, 2, 3, 4}), 1, 2), Shape{2}, {2, 3});
  expect_value(counting()[1], Shape{3}, {4, 5, 6});
  expect_scalar(counting()[1][2], 6);
  expect_value(column(counting(), 1), Shape{2}, {2, 5});
  expect_value(concatenate({Expression(9.0), constant({1, 2}), Expression(8.0)}), Shape{4}, {9, 1, 2, 8});
  expect_value(concatenate({counting(), constant({7, 8, 9}, Shape{1, 3})}), Shape{3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  expect_value(stack({Expression(1.0), Expression(2.0)}), Shape{2}, {1, 2});
  expect_value(stack({constant({1, 2}), constant({3, 4})}), Shape{2, 2}, {1, 2, 3, 4});
  expect_value(reshape(counting(), Shape{3, 2}), Shape{3, 2}, {1, 2, 3, 4, 5, 6});
  expect_value(broadcast_to(constant({1, 2}, Shape{2, 1}), Shape{2, 2}), Shape{2, 2}, {1, 1, 2, 2});
  expect_value(broadcast_to(Expression(3.0), Shape{2}), Shape{2}, {3, 3});
}

TEST(Rows, Columns_AreReadRowByRow) {
  const auto rows = two_rows();
  const auto k = row_integer("k", Shape{});
  const auto z = row_real("z", Shape{2});
  EXPECT_EQ(value_of(row_x() * z, rows), (Numbers{2, 4, 15, 20}));
  EXPECT_EQ(value_of(gather(constant({5, 6}), k), rows), (Numbers{6, 5}));
  EXPECT_EQ(value_of(gather(constant({5, 6, 7, 8}, Shape{2, 2}), k), rows), (Numbers{7, 8, 5, 6}));
  EXPECT_EQ(value_of(gather(z, k), rows), (Numbers{2, 3}));
  EXPECT_EQ(value_of(gather(constant({5, 6, 7}), row_integer("kk", Shape{2})), rows), (Numbers{6, 5, 7, 7}));
  EXPECT_EQ(value_of(gather(constant({5, 6, 7}), row_integer("kk", Shape{2})[0]), rows), (Numbers{6, 7}));
  EXPECT_EQ(value_of(gather(constant({5, 6, 7, 8}), k, -2), rows), (Numbers{8, 7}));
  EXPECT_EQ(value_of(dot(row_sparse("u", 3), constant({1, 2, 3})), rows), (Numbers{14, 7}));
  EXPECT_EQ(value_of(matmul(counting(), row_sparse("u", 3)), rows), (Numbers{14, 35, 7, 16}));
}

TEST(Rows, Sums_TakeOutWhatDoesNotVary) {
  const auto rows = two_rows();
  const auto z = row_real("z", Shape{2});
  const auto c = constant({1, 10});
  EXPECT_EQ(value_of(row_sum(row_x()), rows), (Numbers{7}));
  EXPECT_EQ(value_of(row_sum(-z), rows), (Numbers{-4, -6}));
  EXPECT_EQ(value_of(row_sum(c * z), rows), (Numbers{4, 60}));
  EXPECT_EQ(value_of(row_sum(z * c), rows), (Numbers{4, 60}));
  EXPECT_EQ(value_of(row_sum(c * row_x()), rows), (Numbers{7, 70}));
  EXPECT_EQ(value_of(row_sum(row_x() * z), rows), (Numbers{17, 24}));
  EXPECT_EQ(value_of(row_sum(row_x() + c), rows), (Numbers{9, 27}));
  EXPECT_EQ(value_of(row_sum(outer(z, z)), rows), (Numbers{10, 14, 14, 20}));
  EXPECT_EQ(value_of(row_sum(outer(c, z)), rows), (Numbers{4, 6, 40, 60}));
  EXPECT_EQ(value_of(row_sum(outer(z, c)), rows), (Numbers{4, 40, 6, 60}));
  EXPECT_EQ(value_of(row_sum(row_weight() * row_x()), rows), (Numbers{520}));
  EXPECT_EQ(value_of(row_sum(reshape(z, Shape{2, 1})), rows), (Numbers{4, 6}));
}

TEST(Rows, PerRowAndType_FollowFromTheOperands) {
  const auto beta = parameter_leaf("beta", Shape{2}, 0);
  const auto kk = row_integer("kk", Shape{2});
  EXPECT_FALSE(exp(beta).per_row());
  EXPECT_TRUE((beta * row_x()).per_row());
  EXPECT_FALSE(row_sum(beta * row_x()).per_row());
  EXPECT_EQ(kk.type(), ElementType::integer);
  EXPECT_EQ(kk[1].type(), ElementType::integer);
  EXPECT_EQ(exp(kk).type(), ElementType::real);
  EXPECT_EQ(beta.describe(), "beta: global real [2]");
  EXPECT_EQ(kk.describe(), "kk: per-row integer [2]");
}

}  // namespace
}  // namespace sgmcmc
