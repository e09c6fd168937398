// Checks of the log density away from the draws: other modes, tails that fall slowly or not at all, jumps.
#include "judge/density_between.hpp"
#include "judge/exchangeable.hpp"
#include "judge/other_modes.hpp"
#include "judge/slow_tails.hpp"
#include "mode/modes.hpp"

#include <sgmcmc/bias.hpp>
#include <sgmcmc/distribution_functions.hpp>
#include <sgmcmc/distributions.hpp>
#include <sgmcmc/error.hpp>
#include <sgmcmc/model.hpp>
#include <sgmcmc/random.hpp>
#include <sgmcmc/sample.hpp>
#include <sgmcmc/tuning.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace sgmcmc {
namespace {

constexpr std::size_t count = 200;

/// Normal draws around the centres in turn.
SteinPoints draws_about(const std::vector<std::vector<double>>& centres, double sd) {
  SteinPoints points;
  points.dimension = centres[0].size();
  points.positions.resize(count * points.dimension);
  fill_normal({3, 0, 0, Purpose::data}, points.positions);
  for (std::size_t k = 0; k < points.positions.size(); ++k)
    points.positions[k] =
        centres[k / points.dimension % centres.size()][k % points.dimension] + sd * points.positions[k];
  return points;
}

Model squares() {
  std::vector<double> y(400);
  fill_normal({5, 0, 0, Purpose::data}, y);
  for (double& x : y) x += 4;
  Model model(Dataset::Builder().real("y", y).build());
  const auto a = model.parameter("a");
  model.prior(normal_lpdf(a, 0, 3));
  model.likelihood(normal_lpdf(model.row("y"), square(a), 1));
  return model;
}

TEST(OtherMode, TheOtherSign_IsFoundAndKnownAsTheSame) {
  const LogPosterior posterior(squares());
  ThreadPool pool(2);
  const auto found = find_other_mode(posterior, draws_about({{2.0}}, 0.013), 1, pool);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->unseen);
  EXPECT_TRUE(found->exchanged);
  EXPECT_NEAR(found->share, 0.5, 0.01);
  const auto of_both = find_other_mode(posterior, draws_about({{2.0}, {-2.0}}, 0.013), 1, pool);
  ASSERT_TRUE(of_both);
  EXPECT_FALSE(of_both->unseen);
  EXPECT_NEAR(of_both->share_of_draws, 0.5, 0.01);
}

TEST(OtherMode, ModesOfDifferentWeight_AreWeighed) {
  Model model;
  const auto x = model.parameter("x");
  model.prior(log_mix(0.3, normal_lpdf(x, -8, 1), normal_lpdf(x, 8, 3)));
  const LogPosterior posterior(model);
  ThreadPool pool(1);
  const auto found = find_other_mode(posterior, draws_about({{-8.0}}, 1.0), 1, pool);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->unseen);
  EXPECT_FALSE(found->exchanged);
  EXPECT_NEAR(found->share, 0.7, 0.01);
  EXPECT_NEAR(find_other_mode(posterior, draws_about({{8.0}}, 3.0), 1, pool).value().share, 0.3, 0.01);
}

TEST(OtherMode, OneMode_IsSeen) {
  Model model;
  const auto x = model.parameter("x", {2});
  model.prior(student_t_lpdf(x, 4, 1, 2));
  ThreadPool pool(1);
  EXPECT_FALSE(find_other_mode(LogPosterior(model), draws_about({{1.0, 1.0}}, 2.5), 1, pool));
}

TEST(OtherMode, AFunnel_HasAModeThatTellsNothing) {
  Model model;
  const auto v = model.parameter("v");
  const auto x = model.parameter("x", {4});
  model.prior(normal_lpdf(v, 0, 3));
  model.prior(normal_lpdf(x, 0, exp(v / 2.0)));
  ThreadPool pool(1);
  EXPECT_FALSE(find_other_mode(LogPosterior(model), draws_about({{0.0, 0.0, 0.0, 0.0, 0.0}}, 2.0), 1, pool));
}

Model two_modes() {
  Model model;
  const auto x = model.parameter("x", {2});
  model.prior(log_mix(0.3, sum(normal_lpdf(x, -8, 1)), sum(normal_lpdf(x, 8, 3))));
  return model;
}

TEST(Modes, ThatMatter_HaveTheirShares) {
  const LogPosterior posterior(two_modes());
  ThreadPool pool(2);
  const auto found = modes_that_matter(posterior, std::vector<double>{-8.0, -8.0}, 1, pool);
  ASSERT_EQ(found.modes.size(), 2u);
  EXPECT_NEAR(found.shares[0], 0.7, 0.01);
  EXPECT_NEAR(found.modes[0].theta[1], 8.0, 0.01);
  EXPECT_NEAR(found.shares[1], 0.3, 0.01);
  EXPECT_NEAR(found.modes[1].theta[0], -8.0, 0.01);
}

TEST(Modes, SignsThatCanBeExchanged_AreOneMode) {
  const LogPosterior posterior(squares());
  ThreadPool pool(2);
  const auto found = modes_that_matter(posterior, std::vector<double>{2.0}, 1, pool);
  EXPECT_EQ(found.modes.size(), 1u);
  EXPECT_EQ(found.found, 2u);
  EXPECT_TRUE(found.exchanged);
}

TEST(Modes, Chains_AreDistributedByShares) {
  using Places = std::vector<std::size_t>;
  const auto sorted = [](std::vector<double> shares, std::size_t chains) {
    auto places = distribute_chains(shares, chains);
    std::sort(places.begin(), places.end());
    return places;
  };
  EXPECT_EQ(sorted({0.7, 0.3}, 4), (Places{0, 0, 0, 1}));
  EXPECT_EQ(sorted({0.97, 0.03}, 4), (Places{0, 0, 0, 1}));
  EXPECT_EQ(sorted({0.5, 0.3, 0.2}, 10), (Places{0, 0, 0, 0, 0, 1, 1, 1, 2, 2}));
  EXPECT_EQ(sorted({0.5, 0.3, 0.2}, 2), (Places{0, 1}));
}

TEST(Modes, Auto_StartsChainsAtEachAndTheVerdictTellsTheirShares) {
  const Model model = two_modes();
  SampleOptions options;
  options.method("auto").chains = 4;
  const Tuned tuned = tune(model, options, {});
  EXPECT_EQ(tuned.report.why,
            "nuts, with chains that start at 2 modes, which hold about 70 % and 30 % of the posterior.");
  ASSERT_TRUE(tuned.options.start_at_modes);
  const auto result = sample(model, tuned.options);
  std::size_t at_the_heavy = 0;
  for (std::size_t chain = 0; chain < 4; ++chain) {
    double mean = 0;
    for (std::size_t draw = 0; draw < result.draws.draws(chain); ++draw) mean += result.draws(chain, draw, 0);
    at_the_heavy += mean > 0;
  }
  EXPECT_EQ(at_the_heavy, 3u);
  const auto report = diagnose_bias(model, tuned.options, result.draws);
  EXPECT_NE(report.verdict.sentences.at(0).find("the chains stay in separate modes"), std::string::npos)
      << report.verdict.sentences.at(0);
}

TEST(Modes, OfASamplerBuiltAroundOne_AreRefused) {
  SampleOptions options;
  options.method("sgld-cv").step_size(0.1);
  options.start_at_modes = true;
  EXPECT_THROW(options.validate(squares()), OptionError);
  options.method("sgld");
  EXPECT_NO_THROW(options.validate(squares()));
}

std::string exchangeable(const Model& model) {
  std::vector<double> position(static_cast<std::size_t>(model.dimension()));
  fill_normal({9, 0, 0, Purpose::data}, position);
  const auto found = find_exchangeable(LogPosterior(model), position);
  if (!found) return "";
  std::string text = found->signs ? "signs" : "places";
  for (const auto& name : found->names) text += " " + name;
  return text;
}

std::vector<double> some_normals(std::size_t size) {
  std::vector<double> numbers(size);
  fill_normal({5, 0, 0, Purpose::data}, numbers);
  return numbers;
}

TEST(Exchangeable, UnitsOfANetwork_AreFound) {
  const std::vector<double> x = some_normals(300), y = some_normals(100);
  Model model(Dataset::Builder().real("x", x, {3}).real("y", y).build());
  const auto a = model.parameter("a", {4, 3}), b = model.parameter("b", {4}), c = model.parameter("c");
  model.prior(normal_lpdf(a, 0, 1));
  model.prior(normal_lpdf(b, 0, 1));
  model.likelihood(normal_lpdf(model.row("y"), c + dot(b, exp(matmul(a, model.row("x")))), 1));
  EXPECT_EQ(exchangeable(model), "places a b");
}

TEST(Exchangeable, FactorsMayChangeTheirSigns) {
  const std::vector<double> x = some_normals(200), y = some_normals(100);
  Model model(Dataset::Builder().real("x", x, {2}).real("y", y).build());
  const auto a = model.parameter("a", {5, 2}), b = model.parameter("b", {5});
  model.likelihood(normal_lpdf(model.row("y"), dot(constant({1, 2, 3, 4, 5}) * b, matmul(a, model.row("x"))), 1));
  EXPECT_EQ(exchangeable(model), "signs a b");
}

TEST(Exchangeable, ARegression_HasNothing) {
  const std::vector<double> x = some_normals(300), y = some_normals(100);
  Model model(Dataset::Builder().real("x", x, {3}).real("y", y).build());
  const auto b = model.parameter("b", {3});
  model.likelihood(normal_lpdf(model.row("y"), dot(b, model.row("x")), 1));
  EXPECT_EQ(exchangeable(model), "");
}

TEST(Exchangeable, AnOrder_ForbidsIt) {
  const std::vector<double> y = some_normals(100);
  const auto mixture = [&](const Constraint& constraint) {
    Model model(Dataset::Builder().real("y", y).build());
    const auto mu = model.parameter("mu", {2}, constraint);
    model.likelihood(log_mix(0.5, normal_lpdf(model.row("y"), mu[0], 1), normal_lpdf(model.row("y"), mu[1], 1)));
    return model;
  };
  EXPECT_EQ(exchangeable(mixture({})), "places mu");
  EXPECT_EQ(exchangeable(mixture(Constraint::ordered())), "");
}

std::string slow(const Model& model, const std::vector<double>& centre, double sd) {
  ThreadPool pool(2);
  const auto found = find_slow_direction(LogPosterior(model), draws_about({centre}, sd), pool);
  if (!found) return "";
  std::string text = found->kind == SlowTail::flat ? "flat" : found->kind == SlowTail::no_mean ? "no mean" : "no sd";
  for (const auto& name : found->names) text += " " + name;
  return text;
}

TEST(SlowTails, PriorsByTheirTails) {
  const auto of = [](const auto& density) {
    Model model;
    const auto x = model.parameter("x", {2});
    model.prior(density(x));
    return slow(model, {0.0, 0.0}, 1.0);
  };
  EXPECT_EQ(of([](const Expression& x) { return cauchy_lpdf(x, 0, 1); }), "no mean x[1]");
  EXPECT_EQ(of([](const Expression& x) { return student_t_lpdf(x, 2, 0, 1); }), "no sd x[1]");
  EXPECT_EQ(of([](const Expression& x) { return student_t_lpdf(x, 3, 0, 1); }), "");
  EXPECT_EQ(of([](const Expression& x) { return double_exponential_lpdf(x, 0, 1); }), "");
  EXPECT_EQ(of([](const Expression& x) { return normal_lpdf(x, 0, 1); }), "");
}

TEST(SlowTails, APriorMuchWiderThanTheDraws_IsNotFlat) {
  const auto of = [](double scale) {
    Model model;
    const auto x = model.parameter("x", {2});
    model.prior(normal_lpdf(x[0], 0, 1));
    if (scale > 0) model.prior(normal_lpdf(x[1], 0, scale));
    return slow(model, {0.0, 0.0}, 1.0);
  };
  EXPECT_EQ(of(1e6), "");
  EXPECT_EQ(of(1e9), "");
  EXPECT_EQ(of(0), "flat x[2]");
}

TEST(SlowTails, WithoutSecondDerivatives_TheOtherDirectionsAreLookedAt) {
  Model model;
  const auto x = model.parameter("x", {2});
  model.prior(normal_lpdf(x[0], 0, 1) + beta_lccdf(0.5, exp(x[0]), 2.0));
  const LogPosterior posterior(model);
  EXPECT_THROW(posterior.executor(ProgramKind::hessian_vector, {}), ModelError);
  EXPECT_EQ(slow(model, {0.0, 0.0}, 1.0), "flat x[2]");
}

TEST(SlowTails, ADensityThatFallsAndRisesAgain_IsNotFlat) {
  // Residuals grow along x, until a scale that grows with x makes up for them; by then the density has fallen far.
  std::vector<double> y(200);
  fill_normal({4, 0, 0, Purpose::data}, y);
  Model model(Dataset::Builder().real("y", y).build());
  const auto x = model.parameter("x"), s = model.parameter("s");
  model.likelihood(normal_lpdf(model.row("y"), x, exp(s)));
  model.prior(normal_lpdf(x, 0, 100));
  model.prior(normal_lpdf(s, 0, 100));
  SteinPoints draws = draws_about({{0.0, 0.0}}, 1.0);
  for (std::size_t k = 0; k < draws.positions.size(); k += 2) draws.positions[k + 1] = 0.001 * draws.positions[k];
  ThreadPool pool(2);
  EXPECT_FALSE(find_slow_direction(LogPosterior(model), draws, pool));
}

TEST(SlowTails, WhatTheDataCannotTellApart_IsFlatUnlessThePriorTells) {
  std::vector<double> a(3000), b(a.size()), x;
  fill_normal({6, 0, 0, Purpose::data}, a);
  fill_normal({6, 0, 1, Purpose::data}, b);
  std::vector<std::int32_t> y(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    x.insert(x.end(), {a[i], b[i], a[i] - b[i], b[i] * b[i]});
    y[i] = static_cast<std::int32_t>(a[i] + std::sin(37.0 * static_cast<double>(i)) > 0);
  }
  const auto model = [&](bool prior) {
    Model made(Dataset::Builder().real("x", x, {4}).integer("y", y).build());
    const auto beta = made.parameter("beta", {4});
    if (prior) made.prior(normal_lpdf(beta, 0, 10));
    made.likelihood(bernoulli_logit_lpmf(made.row("y"), dot(made.row("x"), beta)));
    return made;
  };
  const std::string found = slow(model(false), {1.0, 0.0, 0.0, 0.0}, 0.1);
  EXPECT_TRUE(found.starts_with("flat")) << found;
  for (const char* name : {" beta[1]", " beta[2]", " beta[3]"}) EXPECT_NE(found.find(name), std::string::npos) << found;
  EXPECT_EQ(found.find("beta[4]"), std::string::npos) << found;
  EXPECT_EQ(slow(model(true), {1.0, 0.0, 0.0, 0.0}, 0.1), "");
}

TEST(SlowTails, ALevelThatSomeRowsLeaveOut_IsNotFlat) {
  std::vector<double> x(20'000, 0.0);
  std::vector<std::int32_t> y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    y[i] = static_cast<std::int32_t>(i % 3 == 0);
    if (i == 5000 || i == 9000) x[i] = 1.0, y[i] = i == 5000;
  }
  Model model(Dataset::Builder().real("x", x).integer("y", y).build());
  const auto b = model.parameter("b"), a = model.parameter("a");
  model.likelihood(bernoulli_logit_lpmf(model.row("y"), a + b * model.row("x")));
  EXPECT_EQ(slow(model, {0.5, -0.7}, 0.5), "");
}

TEST(ZeroDensity, DrawsBeyondAPriorsEnd_AreCounted) {
  ThreadPool pool(2);
  Model model;
  const auto x = model.parameter("x", {2});
  model.prior(exponential_lpdf(x[0], 1));
  model.prior(normal_lpdf(x[1], 0, 1));
  const LogPosterior posterior(model);
  EXPECT_NEAR(share_with_zero_density(posterior, draws_about({{0.0, 0.0}}, 1.0), pool), 0.5, 0.15);
  EXPECT_EQ(share_with_zero_density(posterior, draws_about({{9.0, 0.0}}, 1.0), pool), 0.0);
}

TEST(Jumps, AThresholdOfTheRows_IsFoundAndNamed) {
  ThreadPool pool(2);
  std::vector<double> x(3000), y(x.size());
  fill_uniform({1, 0, 0, Purpose::data}, x);
  fill_normal({1, 0, 1, Purpose::data}, y);
  for (std::size_t i = 0; i < x.size(); ++i) y[i] += x[i] < 0.4 ? 0.0 : 0.3;
  Model model(Dataset::Builder().real("x", x).real("y", y).build());
  const auto b = model.parameter("b"), threshold = model.parameter("threshold");
  model.likelihood(normal_lpdf(model.row("y"), b + select(model.row("x") < threshold, 0.0, 0.3), 1));
  const auto found = find_jump(LogPosterior(model), draws_about({{0.0, 0.4}}, 0.2), pool);
  ASSERT_TRUE(found);
  EXPECT_GT(found->size, 1.0);
  EXPECT_EQ(found->names, std::vector<std::string>{"threshold"});
}

TEST(Jumps, SmoothDensitiesAndKinks_HaveNone) {
  ThreadPool pool(2);
  const auto jumps = [&](const auto& log_density, double sd) {
    Model model;
    const auto x = model.parameter("x", {3});
    model.prior(log_density(x));
    return find_jump(LogPosterior(model), draws_about({{0.0, 0.0, 0.0}}, sd), pool).has_value();
  };
  for (const double sd : {0.1, 1.0, 10.0}) {
    EXPECT_FALSE(jumps([](const Expression& x) { return normal_lpdf(x, 0, 1); }, sd)) << sd;
    EXPECT_FALSE(jumps([](const Expression& x) { return double_exponential_lpdf(x, 0, 1); }, sd)) << sd;
    EXPECT_FALSE(jumps([](const Expression& x) { return double_exponential_lpdf(x, 0, 0.01); }, sd)) << sd;
    EXPECT_FALSE(jumps([](const Expression& x) { return cauchy_lpdf(x, 0, 1); }, sd)) << sd;
    EXPECT_FALSE(jumps([](const Expression& x) { return cauchy_lpdf(x, 0, 1e-3); }, sd)) << sd;
    EXPECT_FALSE(jumps(
        [](const Expression& x) { return log_mix(0.5, normal_lpdf(x[0], 2, 0.5), normal_lpdf(x[0], -2, 0.5)); }, sd))
        << sd;
    EXPECT_FALSE(
        jumps([](const Expression& x) { return normal_lpdf(x[0], 0, exp(0.5 * x[1])) + normal_lpdf(x[1], 0, 3); }, sd))
        << sd;
  }
}

}  // namespace
}  // namespace sgmcmc
