// Models run forwards: the order of statements, distributions of the draws, and full error messages.
#include "stan/forward/simulate.hpp"

#include "errors/message_of.hpp"
#include "statistics/significance.hpp"

#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace sgmcmc::stan {
namespace {

using Numbers1 = std::vector<double>;

DataVariables data_of(const std::map<std::string, std::pair<Numbers1, Shape>>& reals,
                      const std::map<std::string, std::pair<std::vector<std::int32_t>, Shape>>& integers = {}) {
  DataVariables data;
  for (const auto& [name, value] : reals)
    data.by_name[name] = {DataArray::copy_of(std::span<const double>(value.first), value.second), "test"};
  for (const auto& [name, value] : integers)
    data.by_name[name] = {DataArray::copy_of(std::span<const std::int32_t>(value.first), value.second), "test"};
  return data;
}

DataVariables three_numbers() { return data_of({{"y", {{0, 0, 0}, {3}}}}); }

Simulator forwards(const std::string& text, DataVariables data = {}) {
  return {read_model_text("m.stan", text), std::move(data)};
}

Numbers1 drawn(const Simulated& simulated, const std::string& name) {
  const DataArray& array = simulated.data.find(name)->array;
  Numbers1 numbers;
  for (std::int64_t i = 0; i < array.size(); ++i) numbers.push_back(array[i]);
  return numbers;
}

std::string refusal(const std::string& text, const DataVariables& data = {}) {
  return sgmcmc::testing::message_of<Error>([&] { forwards(text, data); });
}

/// The first line of a refusal, without the place.
std::string complaint(const std::string& text, const DataVariables& data = {}) {
  std::string message = refusal(text, data);
  message = message.substr(0, message.find('\n'));
  const auto word = message.find("error: ");
  return word == std::string::npos ? message : message.substr(word + 7);
}

/// The mean of a function of simulations.
sgmcmc::testing::Estimate mean_of(const std::vector<Simulated>& all,
                                  const std::function<double(const Simulated&)>& function) {
  Numbers1 values;
  for (const auto& each : all) values.push_back(function(each));
  return sgmcmc::testing::mean_of_replicates(values);
}

std::vector<Simulated> simulations(const Simulator& simulator, std::size_t count = 3000) {
  std::vector<Simulated> all;
  for (std::size_t r = 0; r < count; ++r) all.push_back(simulator.draw(4, r));
  return all;
}

/// 30 comparisons in this file: false-alarm rate 1e-4 in all.
const double largest_z = sgmcmc::testing::z_threshold(1e-4, 30);

TEST(Forwards, StatementsInAnyOrder_AreRunByWhatTheyNeed) {
  const auto simulator = forwards(R"(data { vector[3] y; }
parameters { real a; real b; vector[3] c; }
transformed parameters { real d = a + 10; }
model {
  y ~ normal(c + d, 1e-9);
  c ~ normal(b, 1e-9);
  b ~ normal(a * 2, 1e-9);
  a ~ normal(5, 1e-9);
})",
                                  three_numbers());
  EXPECT_EQ(simulator.drawn_data(), std::vector<std::string>{"y"});
  const auto simulated = simulator.draw(1, 0);
  ASSERT_EQ(simulated.parameters.size(), 5u);
  const Numbers1 expected{5, 10, 10, 10, 10};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(simulated.parameters[i], expected[i], 1e-6);
  for (const double y : drawn(simulated, "y")) EXPECT_NEAR(y, 25, 1e-6);
}

TEST(Forwards, LoopsLocalVariablesAndSlices_AreRunByWhatTheyNeed) {
  const auto simulator = forwards(R"(data { vector[3] y; }
parameters { vector[3] a; matrix[2, 3] b; array[2] vector[3] c; real s; }
model {
  for (n in 1:3) {
    real location = a[n] + s;
    y[n] ~ normal(location, 1e-9);
    a[n] ~ normal(n, 1e-9);
  }
  to_vector(b) ~ normal([1, 2, 3, 4, 5, 6]', 1e-9);
  {
    vector[3] twice;
    for (k in 1:3) twice[k] = 2 * b[1, k];
    for (j in 1:2) c[j] ~ normal(j * twice, 1e-9);
  }
  s ~ normal(100, 1e-9);
})",
                                  three_numbers());
  const auto simulated = simulator.draw(1, 3);
  // b is given column by column, kept row by row.
  const Numbers1 expected{1, 2, 3, 1, 3, 5, 2, 4, 6, 2, 6, 10, 4, 12, 20, 100};
  ASSERT_EQ(simulated.parameters.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(simulated.parameters[i], expected[i], 1e-6) << i;
  const Numbers1 y = drawn(simulated, "y");
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(y[i], 101 + static_cast<double>(i), 1e-6);
}

TEST(Forwards, StretchesAndTransposes_AreTheirElements) {
  const auto simulator = forwards(R"(data { vector[6] y; row_vector[2] r; }
parameters { vector[3] mu; real<lower=0> z; }
model {
  int pos = 1;
  for (k in 1:2) {
    segment(y, pos, k) ~ normal(mu[k], 1e-9);
    pos += k;
  }
  tail(y, 3) ~ normal(mu, 1e-9);
  r' ~ normal(head(mu, 2), 1e-9);
  head(mu, 2) ~ normal([1, 2]', 1e-9);
  mu[3] ~ normal(3, 1e-9);
  z ~ exponential(1);
})",
                                  data_of({{"y", {{0, 0, 0, 0, 0, 0}, {6}}}, {"r", {{0, 0}, {2}}}}));
  const auto simulated = simulator.draw(1, 0);
  const Numbers1 y = drawn(simulated, "y"), r = drawn(simulated, "r"), expected{1, 2, 2, 1, 2, 3};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(y[i], expected[i], 1e-6) << i;
  EXPECT_NEAR(r[0], 1, 1e-6);
  EXPECT_NEAR(r[1], 2, 1e-6);
}

TEST(Forwards, TimeSeries_AreDrawnOneAfterTheOther) {
  const DataVariables data = data_of({{"y", {{7, 0, 0, 0}, {4}}}});
  for (const char* statement :
       {"y[2:4] ~ normal(phi * y[1:3], 1e-9);", "for (t in 2:4) y[t] ~ normal(phi * y[t - 1], 1e-9);"}) {
    const auto simulator = forwards(std::string("data { vector[4] y; } parameters { real phi; } model { ") + statement +
                                        " phi ~ normal(2, 1e-9); }",
                                    data);
    const Numbers1 y = drawn(simulator.draw(1, 0), "y");
    const Numbers1 expected{7, 14, 28, 56};  // the first is not drawn: kept
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(y[i], expected[i], 1e-5) << statement;
  }
  // Two series that feed on each other.
  const auto pair = forwards(R"(data { vector[3] x; vector[3] y; } parameters { real a; }
model { for (t in 2:3) { x[t] ~ normal(y[t - 1] + a, 1e-9); y[t] ~ normal(x[t] * 2, 1e-9); } a ~ normal(1, 1e-9); })",
                             data_of({{"x", {{0, 0, 0}, {3}}}, {"y", {{5, 0, 0}, {3}}}}));
  const Numbers1 y = drawn(pair.draw(1, 0), "y");
  EXPECT_NEAR(y[1], 12, 1e-5);
  EXPECT_NEAR(y[2], 26, 1e-5);
}

TEST(Forwards, DataThatAreDrawn_NeedNotBeGiven) {
  const std::string text = "data { int N; vector[N] y; } parameters { real a; } model { a ~ normal(0, 1); ";
  const auto sizes = data_of({}, {{"N", {{3}, {}}}});
  const auto given = data_of({{"y", {{9, 9, 9}, {3}}}}, {{"N", {{3}, {}}}});
  const auto without = forwards(text + "y ~ normal(a, 1); }", sizes),
             with = forwards(text + "y ~ normal(a, 1); }", given);
  EXPECT_EQ(drawn(without.draw(1, 0), "y"), drawn(with.draw(1, 0), "y"));
  EXPECT_EQ(complaint(text + "y[2:3] ~ normal(a, 1); }", sizes),
            "'y' has elements that no statement draws in every run, and that the data do not give");
}

TEST(Forwards, TargetOfADensity_IsItsStatement) {
  const std::string declarations = "data { vector[3] y; } parameters { real a; real<lower=0> s; } model { ";
  const auto with_target =
      forwards(declarations +
                   "target += normal_lpdf(a | 1, 2); target += normal_lpdf(s | 0, 3) - normal_lccdf(0 | 0, 3);"
                   " target += normal_lupdf(y | a, s); }",
               three_numbers());
  const auto with_statements =
      forwards(declarations + "a ~ normal(1, 2); s ~ normal(0, 3); y ~ normal(a, s); }", three_numbers());
  for (std::uint64_t r = 0; r < 5; ++r) {
    const auto one = with_target.draw(3, r), other = with_statements.draw(3, r);
    EXPECT_EQ(one.parameters, other.parameters);
    EXPECT_EQ(drawn(one, "y"), drawn(other, "y"));
  }
}

TEST(Forwards, Draws_DependOnSeedAndReplicationAlone) {
  const auto simulator = forwards("parameters { real a; } model { a ~ std_normal(); }");
  const double first = simulator.draw(1, 0).parameters[0];
  EXPECT_NE(first, simulator.draw(1, 1).parameters[0]);
  EXPECT_NE(first, simulator.draw(2, 0).parameters[0]);
  EXPECT_EQ(first, simulator.draw(1, 0).parameters[0]);
}

TEST(Forwards, BoundedParameters_AreCutOffLaws) {
  const auto simulator = forwards(R"(parameters {
  real<lower=0> half; real<lower=-1, upper=1> middle; real<lower=0, upper=4> flat; real cut; real<lower=2> above;
}
model {
  half ~ normal(0, 2);
  middle ~ normal(0.5, 1);
  cut ~ normal(half, 1) T[half, ];
  above ~ pareto(3, 4);
})");
  const auto all = simulations(simulator);
  const auto at = [](std::size_t i) { return [i](const Simulated& s) { return s.parameters[i]; }; };
  EXPECT_LT(std::fabs(mean_of(all, at(0)).z_score(2 * std::sqrt(2 / M_PI))), largest_z);
  // Mean of a normal law on [-1, 1]: location + (phi(low) - phi(high)) / mass at standardised ends -1.5 and 0.5.
  const auto phi = [](double x) { return std::exp(-0.5 * x * x) / std::sqrt(2 * M_PI); };
  const auto cdf = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
  const double middle = 0.5 + (phi(-1.5) - phi(0.5)) / (cdf(0.5) - cdf(-1.5));
  EXPECT_LT(std::fabs(mean_of(all, at(1)).z_score(middle)), largest_z);
  EXPECT_LT(std::fabs(mean_of(all, at(2)).z_score(2)), largest_z);
  const auto excess = mean_of(all, [](const Simulated& s) { return s.parameters[3] - s.parameters[0]; });
  EXPECT_LT(std::fabs(excess.z_score(std::sqrt(2 / M_PI))), largest_z);
  EXPECT_LT(std::fabs(mean_of(all, at(4)).z_score(4)), largest_z);
}

TEST(Forwards, OrderedParameters_AreSortedDraws) {
  const auto simulator = forwards(R"(parameters { ordered[3] mu; positive_ordered[2] tau; real s; ordered[2] apart; }
model { mu ~ normal(1, exp(s)); s ~ normal(0, 1e-9); tau ~ normal(0, 1); apart ~ normal([2, 0]', 1); })");
  const auto all = simulations(simulator);
  const auto at = [](std::size_t i) { return [i](const Simulated& s) { return s.parameters[i]; }; };
  for (std::uint64_t r = 0; r < 20; ++r) {
    const auto p = simulator.draw(1, r).parameters;
    EXPECT_TRUE(p[0] < p[1] && p[1] < p[2] && 0 < p[3] && p[3] < p[4] && p[6] < p[7]);
  }
  // Expected largest of three standard normal numbers: 3 / (2 sqrt(pi)).
  EXPECT_LT(std::fabs(mean_of(all, at(0)).z_score(1 - 1.5 / std::sqrt(M_PI))), largest_z);
  EXPECT_LT(std::fabs(mean_of(all, at(1)).z_score(1)), largest_z);
  // Expected larger of two half-normal numbers: 2 / sqrt(pi) by symmetry of |x - y| and |x + y|.
  EXPECT_LT(std::fabs(mean_of(all, at(4)).z_score(2 / std::sqrt(M_PI))), largest_z);
  // x ~ N(2, 1), y ~ N(0, 1) given x < y: the mean of their sum does not depend on the condition on the difference.
  const auto sum = mean_of(all, [](const Simulated& s) { return s.parameters[6] + s.parameters[7]; });
  EXPECT_LT(std::fabs(sum.z_score(2)), largest_z);
}

TEST(Forwards, VectorsAndMatrices_HaveTheMomentsOfTheirLaws) {
  const auto simulator = forwards(R"(parameters {
  simplex[3] w; simplex[2] flat; array[2] vector[2] x; cholesky_factor_corr[3] L; corr_matrix[2] R; cov_matrix[2] V;
  unit_vector[3] u; cholesky_factor_cov[2] F;
}
model {
  w ~ dirichlet([1, 2, 5]');
  x ~ multi_normal([1, -1]', [[4, 1], [1, 2]]);
  L ~ lkj_corr_cholesky(2);
  R ~ lkj_corr(3);
  V ~ wishart(5, [[1, 0.5], [0.5, 2]]);
  F ~ wishart_cholesky(4, [[1, 0], [0.5, 1]]);
})");
  const auto all = simulations(simulator);
  // w 0..2, flat 3..4, x 5..8, L 9..17, R 18..21, V 22..25, u 26..28, F 29..32
  const auto mean = [&](std::size_t i) { return mean_of(all, [i](const Simulated& s) { return s.parameters[i]; }); };
  const auto product = [&](std::size_t i, std::size_t j) {
    return mean_of(all, [i, j](const Simulated& s) { return s.parameters[i] * s.parameters[j]; });
  };
  EXPECT_LT(std::fabs(mean(1).z_score(0.25)), largest_z);
  EXPECT_LT(std::fabs(product(3, 3).z_score(1.0 / 3)), largest_z);
  EXPECT_LT(std::fabs(product(5, 6).z_score(1 - 1)), largest_z);
  EXPECT_LT(std::fabs(product(7, 7).z_score(4 + 1)), largest_z);
  EXPECT_LT(std::fabs(product(12, 12).z_score(1.0 / 6)), largest_z);  // LKJ(2) of size 3: 1 / (2 eta + size - 1)
  EXPECT_LT(std::fabs(product(19, 19).z_score(1.0 / 7)), largest_z);
  EXPECT_LT(std::fabs(mean(23).z_score(2.5)), largest_z);
  EXPECT_LT(std::fabs(mean(25).z_score(10)), largest_z);
  EXPECT_LT(std::fabs(product(26, 26).z_score(1.0 / 3)), largest_z);
  EXPECT_LT(std::fabs(product(31, 29).z_score(4 * 0.5)), largest_z);  // F F' has mean 4 [[1, 0.5], [0.5, 1.25]]
}

TEST(Forwards, DiscreteData_KeepTheirTypesAndTotals) {
  const auto data =
      data_of({}, {{"k", {{0, 0}, {2}}}, {"z", {{1, 1, 1}, {3}}}, {"m", {{4, 5, 1}, {3}}}, {"c", {{0}, {}}}});
  const auto simulator = forwards(R"(data {
  array[2] int<lower=0, upper=9> k; array[3] int<lower=1, upper=3> z; array[3] int<lower=0> m; int c;
}
parameters { simplex[3] w; real<lower=0> rate; }
model {
  w ~ dirichlet([2, 2, 2]');
  rate ~ gamma(2, 1);
  k ~ binomial(9, w[1]);
  z ~ categorical(w);
  m ~ multinomial(w);
  c ~ poisson(rate);
})",
                                  data);
  const auto all = simulations(simulator);
  const auto simulated = simulator.draw(1, 0);
  for (const char* name : {"k", "z", "m", "c"}) EXPECT_TRUE(simulated.data.find(name)->array.is_integer()) << name;
  for (std::uint64_t r = 0; r < 20; ++r) {
    const Numbers1 m = drawn(simulator.draw(1, r), "m");
    EXPECT_EQ(m[0] + m[1] + m[2], 10);
  }
  const auto mean = [&](const char* name) {
    return mean_of(all, [name](const Simulated& s) { return drawn(s, name)[0]; });
  };
  EXPECT_LT(std::fabs(mean("k").z_score(3)), largest_z);
  EXPECT_LT(std::fabs(mean("m").z_score(10.0 / 3)), largest_z);
  EXPECT_LT(std::fabs(mean("c").z_score(2)), largest_z);
  const auto ones = mean_of(all, [](const Simulated& s) { return drawn(s, "z")[1] == 1 ? 1.0 : 0.0; });
  EXPECT_LT(std::fabs(ones.z_score(1.0 / 3)), largest_z);
}

TEST(Forwards, GeneralisedLinearModels_AreTheirLawsOfALinearPredictor) {
  const std::string head = R"(data { matrix[4, 2] X; array[4] int k; array[4] int z; vector[4] y; array[4] int n; }
parameters { real a; vector[2] b; vector[3] A; matrix[2, 3] B; real<lower=0> s; ordered[2] cut; }
model { a ~ normal(0, 1); b ~ normal(0, 1); A ~ normal(0, 1); to_vector(B) ~ normal(0, 1); s ~ exponential(1);
  cut ~ normal(0, 1);
)";
  const auto data = data_of({{"X", {{1, 2, -1, 0, 3, 1, 0.5, 0.5}, {4, 2}}}, {"y", {{0, 0, 0, 0}, {4}}}},
                            {{"k", {{0, 0, 0, 0}, {4}}}, {"z", {{1, 1, 1, 1}, {4}}}, {"n", {{5, 6, 7, 8}, {4}}}});
  const std::pair<const char*, const char*> pairs[] = {
      {"k ~ bernoulli_logit_glm(X, a, b);", "k ~ bernoulli_logit(a + X * b);"},
      {"k ~ poisson_log_glm(X, a, b);", "k ~ poisson_log(a + X * b);"},
      {"k ~ neg_binomial_2_log_glm(X, a, b, s);", "k ~ neg_binomial_2_log(a + X * b, s);"},
      {"k ~ binomial_logit_glm(n, X, a, b);", "k ~ binomial_logit(n, a + X * b);"},
      {"y ~ normal_id_glm(X, a, b, s);", "y ~ normal(a + X * b, s);"},
      {"z ~ categorical_logit_glm(X, A, B);", "for (i in 1:4) z[i] ~ categorical_logit(A + (X[i] * B)');"},
      {"z ~ ordered_logistic_glm(X, b, cut);", "z ~ ordered_logistic(X * b, cut);"}};
  for (const auto& [glm, plain] : pairs) {
    const auto one = forwards(head + glm + "}", data), other = forwards(head + plain + "}", data);
    for (std::uint64_t r = 0; r < 10; ++r)
      for (const char* name : {"k", "z", "y"})
        EXPECT_EQ(drawn(one.draw(1, r), name), drawn(other.draw(1, r), name)) << glm;
  }
}

TEST(Forwards, OwnDensityWithARandomFunction_IsDrawnWithIt) {
  const auto simulator = forwards(R"(functions {
  real shifted_lpdf(real x, real by) { return normal_lpdf(x - by | 0, 1e-9); }
  real shifted_rng(real by) { return by + normal_rng(0, 1e-9); }
}
parameters { real a; } model { a ~ shifted(3); })");
  EXPECT_NEAR(simulator.draw(1, 0).parameters[0], 3, 1e-6);
}

TEST(Forwards, WhatCannotBeDrawn_IsRefusedWithThePlace) {
  const std::string instead =
      "give a program to simulate from, whose generated quantities draw the parameters and the data";
  EXPECT_EQ(refusal("parameters { real a; } model { target += -square(a); }"),
            "m.stan:1:32: error: this adds to the log density without a distribution to draw from\n"
            "  |\n"
            "1 | parameters { real a; } model { target += -square(a); }\n"
            "  |                                ^^^^^^^^^^^^^^^^^^^^^\n"
            "help: write it as `y ~ distribution(...)`, or " +
                instead);
  EXPECT_EQ(refusal("parameters { real a; } model { }"),
            "m.stan:1:19: error: 'a' has no prior: a flat prior cannot be drawn from\n"
            "  |\n"
            "1 | parameters { real a; } model { }\n"
            "  |                   ^\n"
            "help: write one, such as `a ~ normal(0, 1);`, or " +
                instead);
  EXPECT_EQ(refusal("parameters { real s; real<lower=0> a; } model { s ~ normal(0, 1); a ~ normal(0, exp(s)); }"),
            "m.stan:1:67: error: 'a' has bounds, and their probability under this distribution depends on parameters: "
            "the model omits that probability from the log density, so its prior is not this distribution truncated at "
            "the bounds\n"
            "  |\n"
            "1 | parameters { real s; real<lower=0> a; } model { s ~ normal(0, 1); a ~ normal(0, exp(s)); }\n"
            "  |                                                                   ^\n"
            "help: write the truncation explicitly, as in `a ~ normal(...) T[lower, ]`, or " +
                instead);
}

TEST(Forwards, WhatCannotBeDrawn_IsSaidInFewWords) {
  const auto y = three_numbers();
  EXPECT_EQ(complaint("data { vector[3] y; } parameters { real a; } transformed parameters { real b = 2 * a; } "
                      "model { b ~ normal(0, 1); }",
                      y),
            "'b' is a transformed parameter: it is computed and cannot be drawn");
  EXPECT_EQ(complaint("parameters { real a; } model { real b = 2 * a; b ~ normal(0, 1); }"),
            "'b' is a local variable: it is computed and cannot be drawn");
  EXPECT_EQ(complaint("data { vector[3] y; } transformed data { vector[3] z = y - mean(y); } parameters { real a; } "
                      "model { a ~ normal(0, 1); z ~ normal(a, 1); }",
                      y),
            "'z' is transformed data: it is computed and cannot be drawn");
  EXPECT_EQ(complaint("data { vector[3] y; } transformed data { real m = mean(y); } parameters { real a; } "
                      "model { a ~ normal(m, 1); y ~ normal(a, 1); }",
                      y),
            "this reads transformed data that are computed from data that are simulated");
  EXPECT_EQ(complaint("parameters { real<lower=0> a; } model { log(a) ~ normal(0, 1); }"),
            "an expression cannot be drawn; only parameters and data can");
  EXPECT_EQ(
      complaint("parameters { real a; } model { a ~ normal(0, 1); a ~ normal(1, 1); }"),
      "'a' already has a distribution: a second one multiplies the densities, and the product cannot be drawn from");
  EXPECT_EQ(complaint("parameters { vector[2] a; } model { a[1] ~ normal(0, 1); }"),
            "element 2 of 'a' has no prior: a flat prior cannot be drawn from");
  EXPECT_EQ(complaint("parameters { real a; real b; } model { a ~ normal(b, 1); b ~ normal(a, 1); }"),
            "this needs 'b', and no statement that can be run before it draws that");
  EXPECT_EQ(complaint("parameters { simplex[2] a; } model { a ~ normal(0, 1); }"),
            "'a' is declared as simplex, which cannot be drawn from 'normal'");
  EXPECT_EQ(complaint("parameters { ordered[2] a; } model { for (k in 1:2) a[k] ~ normal(0, 1); }"),
            "'a' is declared as ordered: its elements cannot be drawn separately");
  EXPECT_EQ(complaint("parameters { vector[2] m; ordered[2] a; } model { m ~ normal(0, 1); a ~ normal(m, 1); }"),
            "'a' is constrained, and the probability of the constraint under this distribution depends on parameters: "
            "draws from the restricted distribution would not follow the prior of this statement");
  EXPECT_EQ(complaint("parameters { real<lower=9> a; } model { a ~ normal(0, 1); }"),
            "of 100000 draws, none is within the limits");
  EXPECT_EQ(complaint("functions { real f_lpdf(real x) { return -x; } } parameters { real a; } model { a ~ f(); }"),
            "'f' is a density of this program, which cannot be drawn from");
  EXPECT_EQ(
      complaint(
          "data { vector[3] y; } parameters { real a; } model { a ~ std_normal(); segment(y, 3, 2) ~ normal(a, 1); }",
          y),
      "these elements are not all among the 3 of 'y'");
  EXPECT_EQ(
      complaint("functions { void f_lp(real x) { x ~ normal(0, 1); } } parameters { real a; } model { f_lp(a); }"),
      "'f_lp' adds to the log density without a distribution to draw from");
  EXPECT_EQ(
      complaint("data { vector<lower=0>[3] y; } parameters { real a; } model { a ~ normal(-99, 1); y ~ normal(a, 1); }",
                y)
          .substr(0, 38),
      "simulated data: variable 'y': element ");
}

constexpr const char* mixture = R"(data { int N; vector[N] y; }
parameters { real<lower=0, upper=1> w; ordered[2] mu; }
model {
  mu ~ normal(0, 1);
  for (n in 1:N) target += log_mix(w, normal_lpdf(y[n] | mu[1], 1), normal_lpdf(y[n] | mu[2], 1));
})";

TEST(GivenSimulator, GeneratedQuantities_BecomeParametersAndData) {
  const auto model = read_model_text("m.stan", mixture);
  const auto program = read_model_text("s.stan", R"(data { int N; }
generated quantities {
  real w = uniform_rng(0, 1);
  vector[2] mu = sort_asc([normal_rng(0, 1), normal_rng(0, 1)]');
  vector[N] y;
  for (n in 1:N) y[n] = normal_rng(bernoulli_rng(w) ? mu[1] : mu[2], 1e-9);
})");
  const auto data = data_of({{"y", {{0, 0, 0}, {3}}}}, {{"N", {{3}, {}}}});
  const Simulator simulator(model, program, data);
  EXPECT_EQ(simulator.drawn_data(), std::vector<std::string>{"y"});
  const auto simulated = simulator.draw(1, 2);
  ASSERT_EQ(simulated.parameters.size(), 3u);
  EXPECT_LT(simulated.parameters[1], simulated.parameters[2]);
  for (const double y : drawn(simulated, "y"))
    EXPECT_LT(std::min(std::fabs(y - simulated.parameters[1]), std::fabs(y - simulated.parameters[2])), 1e-6);
  const BoundModel bound(model.source, model.program, simulated.data, {});
  EXPECT_EQ(bound.rows(), 3);
}

TEST(GivenSimulator, ThatDoesNotFit_IsRefused) {
  const auto model = read_model_text("m.stan", mixture);
  const auto data = data_of({{"y", {{0, 0, 0}, {3}}}}, {{"N", {{3}, {}}}});
  const auto message = [&](const std::string& text) {
    return sgmcmc::testing::message_of<Error>([&] { Simulator(model, read_model_text("s.stan", text), data); });
  };
  EXPECT_EQ(message("generated quantities { real w = 0.5; }"),
            "m.stan:2:51: error: s.stan does not draw the parameter 'mu'\n"
            "  |\n"
            "2 | parameters { real<lower=0, upper=1> w; ordered[2] mu; }\n"
            "  |                                                   ^^\n"
            "help: declare it in its generated quantities, with the same type and sizes");
  EXPECT_EQ(message("generated quantities { real w = 0.5; vector[3] mu = [1, 2, 3]'; }"),
            "s.stan: 'mu' is vector of shape [3], the model declares vector of shape [2] at m.stan:2:51");
  EXPECT_EQ(message("generated quantities { real w = 0.5; vector[2] mu = [2, 1]'; }"),
            "simulated parameter 'mu': element 2 is 1, not above the 2 before it; declared at m.stan:2:51");
  EXPECT_EQ(message("generated quantities { real w; vector[2] mu = [1, 2]'; }"),
            "s.stan: 'w' has elements without a value, or NaN, after a run");
  EXPECT_EQ(
      message("parameters { real a; } model { a ~ normal(0, 1); } generated quantities { real w; }").substr(0, 63),
      "s.stan:1:1: error: a simulator has no parameters and no model\n ");
}

}  // namespace
}  // namespace sgmcmc::stan
