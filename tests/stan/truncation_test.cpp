// Truncated distributions as Stan defines them: y ~ d(...) T[L, U] adds d's log density minus the log probability of
// [L, U], and is -infinity if y is outside.
#include "stan/bound_text.hpp"

#include "errors/message_of.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace sgmcmc::stan {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }
double normal_lpdf(double x, double mu) { return -0.5 * (x - mu) * (x - mu) - 0.5 * std::log(2 * M_PI); }

/// The log density of a model with one real parameter mu and this model block.
double of_parameter(const std::string& block, double mu) {
  return log_density_at(bound_text("parameters { real mu; } model { " + block + " }", {}), {mu});
}

/// The same with data y, by rows that are found and without rows.
void expect_of_data(const std::string& block, const std::vector<double>& y, double mu, double expected) {
  const std::string text = "data { int N; vector[N] y; } parameters { real mu; } model { " + block + " }";
  for (const bool minibatched : {true, false}) {
    SCOPED_TRACE(text + (minibatched ? " by rows" : " unrolled"));
    BindOptions options;
    options.minibatched = minibatched;
    const BoundModel bound = bound_text(text, numbers_y(y), options);
    const double found = log_density_at(bound, {mu});
    if (std::isinf(expected))
      EXPECT_EQ(found, expected);
    else
      EXPECT_NEAR(found, expected, 1e-10);
    ASSERT_EQ(bound.warnings().empty(), std::isfinite(expected));
    for (const auto& warning : bound.warnings())
      EXPECT_EQ(warning.message,
                "an outcome is outside its truncation: the log density is -infinity for all parameters");
  }
}

TEST(Truncation, Parameter_IsMinusInfinityOutside) {
  const std::string both = "mu ~ normal(0, 1) T[-1, 2];";
  const double mass = std::log(normal_cdf(2) - normal_cdf(-1));
  for (double mu : {-1.0, -0.3, 2.0}) EXPECT_NEAR(of_parameter(both, mu), normal_lpdf(mu, 0) - mass, 1e-12);
  for (double mu : {-1.0000001, -30.0, 2.0000001, 50.0}) EXPECT_EQ(of_parameter(both, mu), -infinity) << mu;
  EXPECT_NEAR(of_parameter("mu ~ normal(0, 1) T[0.5, ];", 0.5), normal_lpdf(0.5, 0) - std::log(normal_cdf(-0.5)),
              1e-12);
  EXPECT_EQ(of_parameter("mu ~ normal(0, 1) T[0.5, ];", 0.49), -infinity);
  EXPECT_NEAR(of_parameter("mu ~ normal(0, 1) T[ , 0.5];", 0.5), normal_lpdf(0.5, 0) - std::log(normal_cdf(0.5)),
              1e-12);
  EXPECT_EQ(of_parameter("mu ~ normal(0, 1) T[ , 0.5];", 0.51), -infinity);
}

TEST(Truncation, ParameterDeclaredWithOtherBounds_IsWarnedOf) {
  const auto warnings = [](const std::string& declaration) {
    return bound_text("parameters { " + declaration + " mu; } model { mu ~ normal(0, 1) T[0, ]; }", {}).warnings();
  };
  EXPECT_TRUE(warnings("real<lower=0>").empty());
  EXPECT_TRUE(warnings("real<lower=1, upper=2>").empty());
  ASSERT_EQ(warnings("real<upper=2>").size(), 1u);
  EXPECT_EQ(warnings("real")[0].message,
            "outside this truncation the log density is -infinity, which the gradient does not reflect");
  EXPECT_EQ(warnings("real")[0].help, "declare the parameter with the bounds of T[,]: <lower=..., upper=...>");
}

TEST(Truncation, BoundsTheWrongWayRound_AreMinusInfinityEverywhere) {
  for (double mu : {-2.0, 0.0, 0.5, 3.0}) EXPECT_EQ(of_parameter("mu ~ normal(0, 1) T[1, 0];", mu), -infinity);
}

TEST(Truncation, BoundThatDependsOnAParameter_IsMinusInfinityOutside) {
  const BoundModel bound =
      bound_text("parameters { real mu; real low; } model { mu ~ normal(0, 1) T[low, ]; low ~ normal(0, 1); }", {});
  EXPECT_NEAR(log_density_at(bound, {1.0, 0.5}), normal_lpdf(1, 0) - std::log(normal_cdf(-0.5)) + normal_lpdf(0.5, 0),
              1e-12);
  EXPECT_EQ(log_density_at(bound, {1.0, 1.5}), -infinity);
}

TEST(Truncation, DataInside_AreNormalised) {
  double expected = 0;
  for (double y : {0.5, 2.0, 1.0}) expected += normal_lpdf(y, 0.3) - std::log(normal_cdf(2 - 0.3) - normal_cdf(-0.3));
  expect_of_data("for (n in 1:N) y[n] ~ normal(mu, 1) T[0, 2];", {0.5, 2.0, 1.0}, 0.3, expected);
}

TEST(Truncation, DataOutside_AreMinusInfinityAndWarnedOf) {
  for (const char* block :
       {"for (n in 1:N) y[n] ~ normal(mu, 1) T[0, 2];", "for (n in 1:N) if (n > 1) y[n] ~ normal(mu, 1) T[0, ];"})
    expect_of_data(block, {0.5, -0.1, 1.0}, 0.3, -infinity);
}

TEST(Truncation, DataOutsideOfAParameter_AreMinusInfinity) {
  const BoundModel bound = bound_text(
      "data { int N; vector[N] y; } parameters { real mu; } model { for (n in 1:N) y[n] ~ normal(0, 1) T[mu, ]; }",
      numbers_y({0.5, 0.2, 1.0}));
  EXPECT_TRUE(bound.warnings().empty());
  EXPECT_TRUE(std::isfinite(log_density_at(bound, {0.1})));
  EXPECT_EQ(log_density_at(bound, {0.3}), -infinity);
}

TEST(Truncation, RowsThatAConditionLeavesOut_MayLieOutside) {
  const double expected = normal_lpdf(0.5, 0.3) - std::log(normal_cdf(0.3));
  expect_of_data("for (n in 1:N) if (y[n] > 0) y[n] ~ normal(mu, 1) T[0, ];", {0.5, -0.1}, 0.3, expected);
}

TEST(Truncation, BoundsOutsideTheSupport_AreRefusedWithTheStatement) {
  const auto message = [](const std::string& statement) {
    return sgmcmc::testing::message_of<StanError>(
        [&] { bound_text("parameters { real<lower=0> x; }\nmodel {\n" + statement + "\n}", {}); });
  };
  EXPECT_EQ(message("x ~ gamma(2, 1) T[-1, ];"),
            "m.stan:3:1: error: gamma_lcdf: the outcome is -1, must be 0 or more\n"
            "  |\n"
            "3 | x ~ gamma(2, 1) T[-1, ];\n"
            "  | ^^^^^^^^^^^^^^^^^^^^^^^^\n"
            "help: the lower bound of T[,] must be a possible outcome of gamma; omit a bound that truncates nothing");
  EXPECT_NE(
      message("x ~ beta(2, 1) T[, 1.5];").find("help: the upper bound of T[,] must be a possible outcome of beta;"),
      std::string::npos);
  EXPECT_NE(message("3 ~ poisson(x) T[-1, ];").find("error: poisson: the outcome is -1, must be 0 or more"),
            std::string::npos);
  for (const char* statement : {"x ~ gamma(2, 1) T[0, ];", "3 ~ poisson(x) T[0, 4];"})
    EXPECT_NO_THROW(bound_text(std::string("parameters { real<lower=0> x; } model { ") + statement + " }", {}));
}

TEST(Truncation, Counts_IncludeTheirLowerBound) {
  const auto poisson = [](int k, double rate) { return k * std::log(rate) - rate - std::lgamma(k + 1.0); };
  const auto model = [](const std::string& outcome) {
    return bound_text("parameters { real<lower=0> rate; } model { " + outcome + " ~ poisson(rate) T[1, 4]; }", {});
  };
  double mass = 0;
  for (int k = 1; k <= 4; ++k) mass += std::exp(poisson(k, 1.0));
  EXPECT_NEAR(log_density_at(model("1"), {0.0}), poisson(1, 1.0) - std::log(mass), 1e-12);
  EXPECT_NEAR(log_density_at(model("4"), {0.0}), poisson(4, 1.0) - std::log(mass), 1e-12);
  EXPECT_EQ(log_density_at(model("0"), {0.0}), -infinity);
  EXPECT_EQ(log_density_at(model("5"), {0.0}), -infinity);
}

}  // namespace
}  // namespace sgmcmc::stan
