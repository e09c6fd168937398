// Differentiation beyond single ops: inner nodes, redirected leaves, two points, conventions at kinks.
#include "graph/differentiate.hpp"

#include "graph/leaves.hpp"
#include "reference/cases.hpp"
#include "reference/check_gradient.hpp"

#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>

#include <set>

namespace sgmcmc {
namespace {

using reference::Columns;
using reference::evaluate_naively;
using reference::Parameters;
using reference::shared_rows;

std::vector<double> value_of(const Expression& x, const Parameters& parameters) {
  return evaluate_naively({x}, shared_rows(), parameters.point()).front();
}

void expect_equal(const std::vector<double>& got, const std::vector<double>& expected, double tolerance = 1e-12) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], tolerance) << "element " << i;
}

TEST(Differentiate, InnerNode_GivesItsAdjoint) {
  Parameters p;
  const auto a = p.vector({1.0, 2.0});
  const auto inner = exp(a);
  const auto gradients = differentiate(sum(square(inner)) + 3.0 * inner[0], {inner, a});
  const double e1 = std::exp(1.0), e2 = std::exp(2.0);
  expect_equal(value_of(gradients[0], p), {2 * e1 + 3, 2 * e2});
  expect_equal(value_of(gradients[1], p), {(2 * e1 + 3) * e1, 2 * e2 * e2}, 1e-11);
}

TEST(Differentiate, Itself_IsOneAndUnusedParameterZero) {
  Parameters p;
  const auto a = p.scalar(0.4);
  const auto unused = p.spread(Shape{2, 2});
  const auto gradients = differentiate(a, {a, unused});
  expect_equal(value_of(gradients[0], p), {1.0});
  EXPECT_EQ(gradients[1].shape(), (Shape{2, 2}));
  expect_equal(value_of(gradients[1], p), {0, 0, 0, 0});
}

TEST(Differentiate, PerRowScalar_SumsOverRowsUnlessToldNotTo) {
  Parameters p;
  const Columns c;
  const auto b = p.spread(Shape{3});
  const auto one_row = row_weight() * log_logistic(dot(b, c.z)) + c.x * sum(b);
  const auto summed = differentiate(one_row, {b}).front();
  EXPECT_FALSE(summed.per_row());
  expect_equal(value_of(summed, p), value_of(differentiate(row_sum(one_row), {b}).front(), p));
  const auto each = differentiate(one_row, {b}, {.per_row = true, .redirect = {}}).front();
  EXPECT_TRUE(each.per_row());
  expect_equal(value_of(row_sum(each), p), value_of(summed, p));
}

TEST(AtPoint, Moved_ReadsTheOtherVectorAndSharesRowData) {
  Parameters p;
  const Columns c;
  const auto b = p.spread(Shape{3});
  const auto shared = square(c.z);
  const auto here = dot(b, shared);
  const auto there = at_point(here, Point::centre);
  const auto rows = shared_rows();
  const auto point = p.point();
  const auto expected = evaluate_naively({here}, rows, {point.centre, {}, {}}).front();
  expect_equal(evaluate_naively({there}, rows, point).front(), expected);
  std::set<const Node*> nodes;
  for (const auto& node : topological_order({there})) nodes.insert(&node.node());
  EXPECT_TRUE(nodes.contains(&shared.node()));
  EXPECT_FALSE(nodes.contains(&b.node()));
}

TEST(Differentiate, CentreRedirected_IsTheDifferenceOfTwoGradients) {
  const auto rows = shared_rows();
  const Columns c;
  const auto check = [&](const std::function<Expression(Parameters&)>& make) {
    Parameters p;
    const auto here = row_sum(row_weight() * make(p));
    const auto leaves = reference::parameter_leaves(here);
    const auto there = at_point(here, Point::centre);
    std::vector<std::pair<Expression, Expression>> redirect;
    for (const auto& node : topological_order({there})) {
      if (node.node().op != Op::parameter) continue;
      for (const auto& leaf : leaves) {
        if (leaf.node().attributes.offset == node.node().attributes.offset) redirect.emplace_back(node, leaf);
      }
    }
    ASSERT_EQ(redirect.size(), leaves.size());
    const auto both = differentiate(here - there, leaves, {.per_row = false, .redirect = redirect});
    const auto alone = differentiate(here, leaves);
    const auto point = p.point();
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      auto expected = evaluate_naively({alone[i]}, rows, point).front();
      const auto at_centre = evaluate_naively({alone[i]}, rows, {point.centre, {}, {}}).front();
      for (std::size_t j = 0; j < expected.size(); ++j) expected[j] -= at_centre[j];
      expect_equal(evaluate_naively({both[i]}, rows, point).front(), expected);
    }
  };
  check([&](Parameters& p) { return log_logistic(dot(p.spread(Shape{3}), c.z) + p.scalar(0.2)); });
  check([&](Parameters& p) { return square(c.x - dot(c.u, p.spread(Shape{4}))); });
  check([&](Parameters& p) { return exp(gather(p.spread(Shape{4}), c.group, 1) * c.x); });
  check([&](Parameters& p) { return sum(tanh(matmul(p.spread(Shape{2, 3}), c.z))); });
  check([&](Parameters& p) { return sum(exp(matmul(p.spread(Shape{2, 4}), c.u))); });
}

TEST(Differentiate, PerRowOfASumOverRows_IsRefused) {
  Parameters p;
  const Columns c;
  const auto b = p.scalar(0.4);
  const auto centred = c.x * b - row_sum(c.x * b);
  EXPECT_THROW(differentiate(centred, {b}, {.per_row = true, .redirect = {}}), ModelError);
  EXPECT_NO_THROW(differentiate(centred, {b}));
}

TEST(AtPoint, SeveralTogether_ShareWhatTheyShared) {
  Parameters p;
  const auto shared = exp(p.scalar(0.3));
  const auto moved = at_point({square(shared), Expression(), log(shared)}, Point::centre);
  EXPECT_FALSE(moved[1]);
  EXPECT_NE(moved[0].node().inputs[0].pointer(), shared.pointer());
  EXPECT_EQ(moved[0].node().inputs[0].pointer(), moved[2].node().inputs[0].pointer());
}

TEST(Differentiate, TiesOfMaximum_ShareTheDerivative) {
  Parameters p;
  const auto a = p.vector({2.0, 1.0, 2.0});
  expect_equal(value_of(differentiate(maximum(a), {a}).front(), p), {0.5, 0, 0.5});
  const auto m = p.make({1, 1, 0, 3}, Shape{2, 2});
  expect_equal(value_of(differentiate(sum(maximum(m, 1)), {m}).front(), p), {0.5, 0.5, 0, 1});
  const auto b = p.scalar(2.0);
  const auto both = differentiate(max(a[0], b), {a, b});
  EXPECT_EQ(value_of(both[0], p)[0] + value_of(both[1], p)[0], 1.0);
}

TEST(Differentiate, SelectOfBranchThatIsNotANumber_StaysFinite) {
  Parameters p;
  const auto a = p.vector({-1.0, 4.0});
  const auto f = sum(select(a > 0, log(max(a, 1e-300)), 2.0 * a));
  expect_equal(value_of(differentiate(f, {a}).front(), p), {2.0, 0.25});
  const auto g = sum(select(a > 0, log(a), 2.0 * a));
  expect_equal(value_of(differentiate(g, {a}).front(), p), {2.0, 0.25});
}

TEST(Differentiate, ZeroCountsOfZeroProbability_HaveNoDerivative) {
  Parameters p;
  const auto b = p.vector({0.0, 0.5});
  const auto f = sum(multiply_log(constant({0.0, 3.0}), b));
  expect_equal(value_of(f, p), {3 * std::log(0.5)});
  expect_equal(value_of(differentiate(f, {b}).front(), p), {0.0, 6.0});
}

TEST(Differentiate, DeepChain_DoesNotOverflowTheStack) {
  Parameters p;
  const auto a = p.scalar(0.5);
  Expression x = a;
  for (int i = 0; i < 20000; ++i) x = 0.5 * x + a;
  expect_equal(value_of(differentiate(x, {a}).front(), p), {2.0});
}

TEST(Differentiate, ShapeOfIncompleteFunctionTwice_SaysWhatIsMissing) {
  Parameters p;
  const auto a = p.scalar(1.4);
  for (const auto& [f, name] : {std::pair{gamma_p(a, 2.0), "incomplete gamma"},
                                {gamma_q(a, 2.0), "incomplete gamma"},
                                {inc_beta(a, 2.0, 0.3), "incomplete beta"},
                                {inc_beta(2.0, a, 0.3), "incomplete beta"}}) {
    const auto slope = differentiate(f, {a}).front();
    try {
      differentiate(slope, {a});
      FAIL() << "nothing was thrown for " << name;
    } catch (const ModelError& error) {
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("Hessian-vector"), std::string::npos) << error.what();
    }
  }
  EXPECT_THROW(differentiate(bessel_first_kind(a, 2.0), {a}), ModelError);
}

}  // namespace
}  // namespace sgmcmc
