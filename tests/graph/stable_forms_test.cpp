// Stable forms: which expressions are recognised, and values and gradients at arguments where the original forms fail.
#include "graph/stable_forms.hpp"

#include "graph/differentiate.hpp"
#include "graph/node.hpp"
#include "reference/cases.hpp"
#include "reference/check_gradient.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace sgmcmc {
namespace {

using reference::Columns;
using reference::evaluate_naively;
using reference::Parameters;
using reference::shared_rows;

struct ValueAndSlope {
  double value = 0, slope = 0;
};

/// Of f(x), written as a user does and then stabilised, with x a parameter.
template <class Function>
ValueAndSlope stable_at(double x, Function f) {
  Parameters p;
  const auto leaf = p.scalar(x);
  const auto stable = with_stable_forms(f(leaf));
  const auto slope = differentiate(stable, {leaf}).front();
  const auto values = evaluate_naively({stable, slope}, shared_rows(), p.point());
  return {values[0].front(), values[1].front()};
}

template <class Function>
Op op_of(Function f) {
  Parameters p;
  return with_stable_forms(f(p.scalar(0.3))).node().op;
}

TEST(StableForms, FormsOfLogistic_AreRecognised) {
  EXPECT_EQ(op_of([](const Expression& x) { return 1.0 / (1.0 + exp(-x)); }), Op::logistic);
  EXPECT_EQ(op_of([](const Expression& x) { return 1.0 / (exp(x) + 1.0); }), Op::logistic);
  EXPECT_EQ(op_of([](const Expression& x) { return reciprocal(1.0 + exp(-x)); }), Op::logistic);
  EXPECT_EQ(op_of([](const Expression& x) {
              const auto e = exp(x);
              return e / (1.0 + e);
            }),
            Op::logistic);
  EXPECT_EQ(op_of([](const Expression& x) { return 1.0 - logistic(x); }), Op::logistic);
  EXPECT_EQ(op_of([](const Expression& x) { return log(1.0 / (1.0 + exp(-x))); }), Op::log_logistic);
  EXPECT_EQ(op_of([](const Expression& x) { return log(1.0 - 1.0 / (1.0 + exp(-x))); }), Op::log_logistic);
  EXPECT_EQ(op_of([](const Expression& x) { return log(1.0 + exp(x)); }), Op::log1p_exp);
  EXPECT_EQ(op_of([](const Expression& x) { return log1p(exp(x)); }), Op::log1p_exp);
}

TEST(StableForms, OtherForms_StayAsTheyAre) {
  EXPECT_EQ(op_of([](const Expression& x) { return 1.0 / (2.0 + exp(-x)); }), Op::divide);
  EXPECT_EQ(op_of([](const Expression& x) { return 2.0 - logistic(x); }), Op::subtract);
  EXPECT_EQ(op_of([](const Expression& x) { return log(1.0 + x); }), Op::log);
  EXPECT_EQ(op_of([](const Expression& x) { return exp(x) / (1.0 + exp(2.0 * x)); }), Op::divide);
}

TEST(StableForms, ExtremeArguments_ValuesAndSlopesAreThoseOfTheLimits) {
  const auto log_p = [](const Expression& x) { return log(1.0 / (1.0 + exp(-x))); };
  const auto log_q = [](const Expression& x) { return log(1.0 - 1.0 / (1.0 + exp(-x))); };
  for (const double x : {-800.0, -40.0, -1.0, 0.0, 1.0, 40.0, 800.0}) {
    SCOPED_TRACE(x);
    const double p = x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x));
    const double q = x >= 0 ? std::exp(-x) / (1 + std::exp(-x)) : 1 / (1 + std::exp(x));
    const double softplus = x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
    EXPECT_NEAR(stable_at(x, log_p).value, x - softplus, 1e-15 * (1 + std::abs(x)));
    EXPECT_NEAR(stable_at(x, log_p).slope, q, 1e-15);
    EXPECT_NEAR(stable_at(x, log_q).value, -softplus, 1e-15 * (1 + std::abs(x)));
    EXPECT_NEAR(stable_at(x, log_q).slope, -p, 1e-15);
    const auto plus = stable_at(x, [](const Expression& y) { return log(1.0 + exp(y)); });
    EXPECT_NEAR(plus.value, softplus, 1e-15 * (1 + std::abs(x)));
    EXPECT_NEAR(plus.slope, p, 1e-15);
  }
}

TEST(StableForms, LogOfSoftmax_FiniteWhereSoftmaxRoundsToZero) {
  const auto f = [](const Expression& x) { return log(softmax(stack({x, 0.0 * x})))[1]; };
  const auto at = stable_at(900.0, f);
  EXPECT_NEAR(at.value, -900.0, 1e-12);
  EXPECT_NEAR(at.slope, -1.0, 1e-15);
}

TEST(StableForms, LogThroughReshape_IsSeen) {
  const auto f = [](const Expression& x) { return sum(log(reshape(1.0 / (1.0 + exp(-reshape(x, {1}))), {1, 1}))); };
  EXPECT_NEAR(stable_at(-800.0, f).value, -800.0, 1e-12);
  EXPECT_NEAR(stable_at(-800.0, f).slope, 1.0, 1e-15);
}

TEST(StableForms, LogProbabilityOfAnOutcome_IsOneLogarithm) {
  for (const double x : {-800.0, -3.0, 0.4, 800.0})
    for (const double y : {0.0, 0.25, 1.0}) {
      SCOPED_TRACE(std::to_string(x) + ", " + std::to_string(y));
      const auto f = [y](const Expression& eta) {
        const Expression p = 1.0 / (1.0 + exp(-eta)), outcome = y + 0.0 * eta;
        return outcome * log(p) + (1.0 - outcome) * log(1.0 - p);
      };
      EXPECT_EQ(op_of(f), Op::subtract);
      const double softplus = x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
      EXPECT_NEAR(stable_at(x, f).value, y * x - softplus, 1e-15 * (1 + std::abs(x)));
      EXPECT_NEAR(stable_at(x, f).slope, y - (x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x))),
                  1e-12);
    }
}

TEST(StableForms, OutcomeTimesLog_IsZeroWhereTheOutcomeIs) {
  Parameters p;
  const Columns c;
  const auto b = p.scalar(-1e6);
  const auto zero = c.x - c.x;  // data, 0 in every row
  const auto density = zero * log(exp(b + c.x));
  EXPECT_TRUE(std::isnan(evaluate_naively({density}, shared_rows(), p.point()).front().front()));
  const auto stable = with_stable_forms(density);
  const auto slope = differentiate(stable, {b}).front();
  EXPECT_EQ(stable.node().op, Op::multiply_log);
  const auto values = evaluate_naively({stable, slope}, shared_rows(), p.point());
  EXPECT_EQ(values[0].front(), 0.0);
  EXPECT_EQ(values[1].front(), 0.0);
}

}  // namespace
}  // namespace sgmcmc
