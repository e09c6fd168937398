// Which models can be divided into parts, and which parts can be combined.
#include "combine/part_checks.hpp"

#include <sgmcmc/distributions.hpp>
#include <sgmcmc/random.hpp>

#include <gtest/gtest.h>

namespace sgmcmc {
namespace {

Dataset numbers(std::size_t rows) {
  std::vector<double> y(rows);
  fill_normal({.seed = 1, .purpose = Purpose::data}, y);
  std::vector<std::int32_t> group(rows);
  for (std::size_t i = 0; i < rows; ++i) group[i] = static_cast<std::int32_t>(i % 5);
  return Dataset::Builder().real("y", y).integer("group", group).build();
}

TEST(ImproperPowers, SlowTails_AreNamed) {
  Model model(numbers(2000));
  auto normal = model.parameter("normal"), cauchy = model.parameter("cauchy"), flat = model.parameter("flat");
  auto sigma = model.parameter("sigma", {}, Constraint::lower(0.0));
  auto laplace = model.parameter("laplace");
  model.prior(normal_lpdf(normal, 0, 1));
  model.prior(cauchy_lpdf(cauchy, 0, 2.5));
  model.prior(cauchy_lpdf(sigma, 0, 1));  // on the log scale, proper when raised to any power
  model.prior(double_exponential_lpdf(laplace, 0, 1));
  model.likelihood(normal_lpdf(model.row("y"), normal + cauchy + flat + laplace, sigma));
  EXPECT_EQ(improper_powers(model, 20), std::vector<std::string>{"cauchy"});
  EXPECT_TRUE(improper_powers(model, 1).empty());
  EXPECT_EQ(improper_powers(model, 1000), std::vector<std::string>{"cauchy"});
}

TEST(PartChecks, GroupsOfRows_AreRefused) {
  Model model(numbers(100));
  auto mean = model.parameter("mean");
  auto tau = model.parameter("tau", {}, Constraint::lower(0.0));
  auto effect = model.parameter("effect", {5});
  model.prior(normal_lpdf(mean, 0, 1));
  model.prior(normal_lpdf(tau, 0, 1));
  model.prior(normal_lpdf(effect, mean, tau));
  model.likelihood(normal_lpdf(model.row("y"), gather(effect, model.row("group")), 1.0));
  EXPECT_NE(why_not_in_parts(model).find("'effect'"), std::string::npos);
  Model plain(numbers(100));
  plain.likelihood(normal_lpdf(plain.row("y"), plain.parameter("mu"), 1.0));
  EXPECT_EQ(why_not_in_parts(plain), "");
}

TEST(PartChecks, LabelsThatCanBeExchanged_AreRefused) {
  const auto mixture = [](const Constraint& constraint) {
    Model model(numbers(100));
    auto mu = model.parameter("mu", {2}, constraint);
    model.prior(normal_lpdf(mu, 0, 5));
    auto density = [&](std::int64_t k) { return normal_lpdf(model.row("y"), take(mu, {k}, Shape{}), 1.0); };
    model.likelihood(log_mix(0.5, density(0), density(1)));
    return model;
  };
  const std::array position = {0.5, 1.5};
  EXPECT_NE(why_not_combined(LogPosterior(mixture({})), position).find("'mu'"), std::string::npos);
  EXPECT_EQ(why_not_combined(LogPosterior(mixture(Constraint::ordered())), position), "");
}

TEST(PartChecks, ValuesRoundedToTheirBounds_DoNotThrow) {
  Model model(numbers(100));
  auto mu = model.parameter("mu", {2});
  auto share = model.parameter("share", {}, Constraint::interval(0.0, 1.0));
  model.prior(normal_lpdf(mu, 0, 5));
  model.likelihood(normal_lpdf(model.row("y"), take(mu, {0}, Shape{}) + 2.0 * take(mu, {1}, Shape{}), 1.0 + share));
  EXPECT_EQ(why_not_combined(LogPosterior(model), std::array{0.5, 1.5, 60.0}), "");  // share is 1
}

}  // namespace
}  // namespace sgmcmc
