// Priors of single parameters: densities in closed form, flat priors, and errors.
#include "stan/forward/prior.hpp"

#include "errors/message_of.hpp"
#include "statistics/significance.hpp"

#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace sgmcmc::stan {
namespace {

double normal_density(double x, double mean, double sd) {
  const double z = (x - mean) / sd;
  return std::exp(-0.5 * z * z) / (sd * std::sqrt(2 * std::numbers::pi));
}

ElementPrior prior_of(const std::string& text, const std::string& name, std::size_t draws = 50) {
  const PriorSampler sampler(read_model_text("m.stan", text), {}, {});
  const auto priors = sampler.draw({name}, draws, 7);
  return priors.size() == 1 ? priors[0] : ElementPrior{};
}

std::string refusal(const std::string& text, const LikelihoodSpans& likelihood = {}) {
  return sgmcmc::testing::message_of<Error>([&] { PriorSampler(read_model_text("m.stan", text), {}, likelihood); });
}

TEST(Prior, OfAFixedLaw_IsItsDensity) {
  const auto prior = prior_of("parameters { vector[2] mu; } model { mu ~ normal(1, [10, 3]'); }", "mu[2]");
  ASSERT_EQ(prior.laws.size(), 1u);
  const std::vector<double> at = {-2, 1, 30};
  const auto density = prior.density(at);
  for (std::size_t k = 0; k < at.size(); ++k) EXPECT_NEAR(density[k], normal_density(at[k], 1, 3), 1e-14);
}

TEST(Prior, WithinBounds_IsCutOffAndNormalised) {
  const auto prior = prior_of("parameters { real<lower=0> sigma; } model { sigma ~ normal(0, 5); }", "sigma");
  const auto density = prior.density(std::vector<double>{-1, 0.5, 4});
  EXPECT_EQ(density[0], 0);
  EXPECT_NEAR(density[1], 2 * normal_density(0.5, 0, 5), 1e-14);
  EXPECT_NEAR(density[2], 2 * normal_density(4, 0, 5), 1e-14);
  for (const double draw : prior.draws) EXPECT_GT(draw, 0);
}

TEST(Prior, WithoutAStatement_IsUniformBetweenBounds) {
  const auto prior = prior_of("parameters { real<lower=-1, upper=3> x; } model { }", "x");
  const auto density = prior.density(std::vector<double>{-1.5, 0, 2.9});
  EXPECT_EQ(density[0], 0);
  EXPECT_NEAR(density[1], 0.25, 1e-14);
  EXPECT_NEAR(density[2], 0.25, 1e-14);
}

TEST(Prior, OfAGroup_HasItsParentsIntegratedOut) {
  constexpr std::size_t draws = 4000;
  const auto prior =
      prior_of("parameters { real mu; vector[3] theta; } model { theta ~ normal(mu, 2); mu ~ normal(0, 1); }",
               "theta[2]", draws);
  ASSERT_EQ(prior.laws.size(), draws);
  const double limit = sgmcmc::testing::z_threshold(1e-4, 3);
  for (const double x : {-3.0, 0.0, 1.5}) {
    std::vector<double> values;
    for (const auto& law : prior.laws) values.push_back(normal_density(x, law.arguments[0], law.arguments[1]));
    const auto estimate = sgmcmc::testing::mean_of_replicates(values);
    const double density = prior.density(std::vector<double>{x})[0];
    EXPECT_NEAR(density, estimate.value, 1e-12);
    EXPECT_LT(std::abs(density - normal_density(x, 0, std::sqrt(5.0))), limit * estimate.standard_error) << x;
    // The distribution given the parent's mean would be too narrow; the test distinguishes the two.
    EXPECT_GT(std::abs(normal_density(x, 0, 2) - normal_density(x, 0, std::sqrt(5.0))), 0);
  }
  EXPECT_GT(std::abs(prior.density(std::vector<double>{0.0})[0] - normal_density(0, 0, 2)), 0.01);
}

TEST(Prior, DrawnJointly_HasDrawsOnly) {
  const auto prior = prior_of("parameters { simplex[3] p; } model { p ~ dirichlet([1, 1, 1]'); }", "p[1]");
  EXPECT_TRUE(prior.laws.empty());
  EXPECT_TRUE(prior.density(std::vector<double>{0.5}).empty());
  EXPECT_EQ(prior.draws.size(), 50u);
}

TEST(Prior, FlatParameters_AndWhatDependsOnThem_HaveNone) {
  const PriorSampler sampler(
      read_model_text("m.stan",
                      "parameters { real mu; real<lower=0> tau; vector[2] theta; real other; } "
                      "transformed parameters { vector[2] both = theta + other; } "
                      "model { theta ~ normal(mu, tau); tau ~ normal(0, 1); other ~ normal(0, 1); }"),
      {}, {});
  EXPECT_TRUE(sampler.improper().contains("mu"));
  EXPECT_TRUE(sampler.improper().contains("theta"));
  EXPECT_FALSE(sampler.improper().contains("other"));
  const auto priors = sampler.draw({"mu", "theta[1]", "tau", "other"}, 10, 1);
  std::set<std::string> names;
  for (const auto& prior : priors) names.insert(prior.name);
  EXPECT_EQ(names, (std::set<std::string>{"tau", "other"}));
}

TEST(Prior, LikelihoodOfData_IsLeftOut) {
  const std::string text =
      "data { int N; vector[N] y; } parameters { real mu; } model { mu ~ normal(0, 3); y ~ normal(mu, 1); }";
  DataVariables data;
  data.by_name["N"] = {DataArray::scalar(std::int32_t{2}), "test"};
  data.by_name["y"] = {DataArray::copy_of(std::vector<double>{1, 2}, {2}), "test"};
  const PriorSampler sampler(read_model_text("m.stan", text), data, {});
  EXPECT_NEAR(sampler.draw({"mu"}, 5, 1)[0].density(std::vector<double>{1})[0], normal_density(1, 0, 3), 1e-14);
}

TEST(Prior, IncrementsThatAreNotTheLikelihood_AreRefused) {
  const std::string text = "parameters { real mu; } model { mu ~ normal(0, 3); target += -square(mu); }";
  EXPECT_NE(refusal(text).find("m.stan:1:52: error: this adds to the log density without saying how to draw"),
            std::string::npos)
      << refusal(text);
  const auto begin = static_cast<std::uint32_t>(text.find("target"));
  EXPECT_NO_THROW(PriorSampler(read_model_text("m.stan", text), {}, {{begin, begin + 24}}));
}

TEST(Prior, TwoLawsOfOneParameter_AreRefused) {
  const std::string message = refusal("parameters { real mu; } model { mu ~ normal(0, 3); mu ~ normal(1, 3); }");
  EXPECT_NE(message.find("'mu' already has a distribution"), std::string::npos) << message;
}

TEST(Prior, RejectStatements_AreRefused) {
  const std::string message =
      refusal("parameters { real mu; } model { mu ~ normal(0, 3); if (mu > 1) reject(\"no\"); }");
  EXPECT_NE(message.find("this rejects parameters"), std::string::npos) << message;
}

}  // namespace
}  // namespace sgmcmc::stan
