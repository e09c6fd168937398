// Declared constraints of transformed parameters and generated quantities are checks, as in Stan: a transformed
// parameter that violates its constraint makes the log density -infinity, a generated quantity is undefined at that
// draw.
#include "stan/bound_text.hpp"

#include "errors/message_of.hpp"
#include "stan/lowering/ranges.hpp"

#include "graph/differentiate.hpp"
#include "graph/leaves.hpp"

#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <set>

namespace sgmcmc::stan {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Case {
  std::string declaration;  ///< of z, from the parameter x
  double inside, outside;   ///< values of x
  std::string why;          ///< the message about z at `outside`
};

const std::vector<Case> cases = {
    {"real<lower=0> z = x;", 0.0, -0.1, "it is -0.1, must be at least 0"},
    {"real<upper=2> z = x;", 2.0, 2.1, "it is 2.1, must be at most 2"},
    {"real<lower=-1, upper=1> z = x;", 1.0, -1.5, "it is -1.5, must be at least -1"},
    {"vector<lower=0>[2] z = [1, x]';", 0.5, -0.5, "element [2] is -0.5, must be at least 0"},
    {"vector<lower=[0, 1]'>[2] z = [0.5, x]';", 1.5, 0.5, "element [2] is 0.5, must be at least 1"},
    {"array[2] real<lower=x> z = {1, 1};", 0.5, 1.5, "element [1] is 1, must be at least 1.5"},
    {"simplex[2] z = [x, 1 - x]';", 0.25, 1.25, "element 2 is -0.25, but elements of a simplex must not be negative"},
    {"simplex[2] z = [0.5, x]';", 0.5, 0.4, "the elements sum to 0.9, but a simplex sums to 1"},
    {"ordered[3] z = [-1, x, 1]';", 0.5, 1.5, "element 3 is 1, not above the 1.5 before it"},
    {"positive_ordered[2] z = [x, 1]';", 0.0, -0.5, "element 1 is -0.5, it must not be negative"},
    {"unit_vector[2] z = [x, 0]';", -1.0, 0.5, "its squared length is 0.25, must be 1"},
    {"cov_matrix[2] z = [[1, x], [x, 1]];", 0.9, 1.1, "it is not positive definite"},
    {"cov_matrix[2] z = [[1, x], [0.5, 1]];", 0.5, 0.6,
     "it is not symmetric: element [2,1] is 0.5, its mirror image 0.6"},
    {"corr_matrix[2] z = [[1, 0.5], [0.5, x]];", 1.0, 2.0, "diagonal element 2 is 2, must be 1"},
    {"cholesky_factor_cov[2] z = [[1, 0], [0.5, x]];", 1.0, -1.0, "diagonal element 2 is -1, must be positive"},
    {"cholesky_factor_cov[2] z = [[1, x], [0.5, 1]];", 0.0, 0.5, "element [1,2] above the diagonal is not 0"},
    {"cholesky_factor_corr[2] z = [[1, 0], [0.5, x]];", std::sqrt(0.75), 0.5,
     "the squares of row 2 add up to 0.5, must be 1"},
    {"array[2] ordered[2] z = {[0, 1]', [0, x]'};", 0.5, -0.5,
     "entry [2]: element 2 is -0.5, not above the 0 before it"},
};

TEST(ConstraintChecks, TransformedParameterOutside_LogDensityIsMinusInfinity) {
  for (const auto& each : cases) {
    SCOPED_TRACE(each.declaration);
    const BoundModel bound = bound_text(
        "parameters { real x; } transformed parameters { " + each.declaration + " } model { x ~ normal(0, 1); }", {});
    EXPECT_NEAR(log_density_at(bound, {each.inside}), -0.5 * each.inside * each.inside - 0.5 * std::log(2 * M_PI),
                1e-12);
    EXPECT_EQ(log_density_at(bound, {each.outside}), -infinity);
  }
}

TEST(ConstraintChecks, OutputsOutside_AreUnknownWithTheReason) {
  for (const bool generated : {false, true})
    for (const auto& each : cases) {
      SCOPED_TRACE(each.declaration);
      const std::string inside = each.declaration + " real other = 1;";
      BoundModel bound =
          bound_text("parameters { real x; }\ntransformed parameters { " + (generated ? "" : inside) +
                         " }\nmodel { x ~ normal(0, 1); }\ngenerated quantities { " + (generated ? inside : "") + " }",
                     {});
      std::vector<double> values(bound.output_size());
      std::set<std::string> unknown;
      EXPECT_NO_THROW(bound.evaluate_outputs(std::array{each.inside}, 1, 0, 0, values, &unknown));
      EXPECT_TRUE(unknown.empty());
      const std::string message = sgmcmc::testing::message_of<Error>(
          [&] { bound.evaluate_outputs(std::array{each.outside}, 1, 0, 0, values, &unknown); });
      EXPECT_TRUE(message.starts_with((generated ? "generated quantity" : "transformed parameter") +
                                      (" 'z': " + each.why) + "; declared at m.stan:"))
          << message;
      EXPECT_EQ(unknown, std::set<std::string>{"z"});
      EXPECT_TRUE(std::isnan(values[0]));
      EXPECT_EQ(values.back(), 1.0);
    }
}

TEST(ConstraintChecks, NotANumber_IsOutside) {
  const BoundModel bound = bound_text(
      "parameters { real x; } transformed parameters { real<lower=0> z = sqrt(x); } model { x ~ normal(0, 1); }", {});
  EXPECT_TRUE(std::isfinite(log_density_at(bound, {1.0})));
  EXPECT_EQ(log_density_at(bound, {-1.0}), -infinity);
}

TEST(ConstraintChecks, TransformedParameterOfEachRow_LogDensityIsMinusInfinityWhereOneIsOutside) {
  for (const bool minibatched : {true, false}) {
    BindOptions options;
    options.minibatched = minibatched;
    const BoundModel bound = bound_text(
        "data { int N; vector[N] y; } parameters { real mu; }\n"
        "transformed parameters { vector<lower=0>[N] scale = mu + y; }\n"
        "model { mu ~ normal(0, 1); y ~ normal(mu, 1); }",
        numbers_y({1, 2, 0.5}), options);
    EXPECT_EQ(bound.row_axis(), minibatched ? "N" : "");
    EXPECT_TRUE(std::isfinite(log_density_at(bound, {-0.4})));
    EXPECT_EQ(log_density_at(bound, {-0.6}), -infinity);
  }
}

TEST(ConstraintChecks, WithoutParameters_AreTestedWhenTheModelIsBound) {
  EXPECT_EQ(sgmcmc::testing::message_of<DataError>([] {
              bound_text(
                  "parameters { real x; }\ntransformed parameters { real<upper=1> z = 2; }\n"
                  "model { x ~ normal(0, 1); }",
                  {});
            }),
            "transformed parameter 'z': it is 2, must be at most 1; declared at m.stan:2:40");
}

TEST(ConstraintChecks, WhatExpressionsKeepThemselves_AddsNothing) {
  for (const char* declaration :
       {"real<lower=0> z = exp(x);", "real<lower=0, upper=1> z = inv_logit(x);", "real<lower=0> z = square(x) / s;",
        "real<lower=0> z = x * x + s;", "real<lower=0> z = sqrt(s);", "real<lower=-1, upper=1> z = tanh(x);",
        "vector<lower=0>[2] z = [exp(x), s]';", "real<lower=2> z = 2 + s;", "simplex[2] z = softmax([x, 1]');"}) {
    const auto text = [](const std::string& own) {
      return "parameters { real x; real<lower=0> s; } transformed parameters { " + own +
             " } model { x ~ normal(0, 1); s ~ exponential(1); }";
    };
    const BoundModel with = bound_text(text(declaration), {}), without = bound_text(text(""), {});
    EXPECT_EQ(topological_order({with.model().log_prior()}).size(),
              topological_order({without.model().log_prior()}).size())
        << declaration;
  }
}

TEST(Ranges, RulesOfIntervals_Hold) {
  Ranges ranges;
  const Expression u = parameter_leaf("u", Shape{}, 0);
  const Expression positive = exp(u), share = logistic(u);
  const auto expect = [&](const Expression& x, double low, double high) {
    const Range range = ranges.of(x);
    EXPECT_EQ(range.low, low) << x.describe();
    EXPECT_EQ(range.high, high) << x.describe();
  };
  expect(u, -infinity, infinity);
  expect(positive, 0, infinity);
  expect(share * 3.0 + 1.0, 1, 4);
  expect(-share, -1, 0);
  expect(share - share, -1, 1);
  expect(positive * share, 0, infinity);
  expect(square(share - 0.5), 0, 0.25);
  expect(1.0 / (1.0 + positive), 0, 1);
  expect(log(u), -infinity, infinity);
  expect(abs(u), 0, infinity);
  expect(select(u > 0.0, share, -2.0), -2, 1);
  expect(max(share, 0.25), 0.25, 1);
}

}  // namespace
}  // namespace sgmcmc::stan
