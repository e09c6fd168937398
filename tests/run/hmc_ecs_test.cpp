// Whole runs of hmc-ecs: comparison with nuts on a posterior with a funnel, its error, and resuming.
#include "errors/message_of.hpp"
#include "run/models.hpp"
#include "statistics/effective_sample_size.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/sample.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace sgmcmc::testing {
namespace {

/// Logistic regression with a horseshoe prior: two relevant coefficients and two irrelevant ones.
Model logistic_horseshoe(std::size_t rows) {
  const Vector x = normals(4 * rows, 31);
  Vector uniform(rows);
  fill_uniform({31, 0, 1, Purpose::data}, uniform);
  std::vector<std::int32_t> hit(rows);
  for (std::size_t i = 0; i < rows; ++i)
    hit[i] = uniform[i] < 1 / (1 + std::exp(-(0.3 + 0.8 * x[4 * i] - 0.5 * x[4 * i + 1])));
  Model model(Dataset::Builder().real("x", x, {4}).integer("hit", hit).build());
  const auto a = model.parameter("a");
  const auto z = model.parameter("z", {4});
  const auto local = model.parameter("local", {4}, Constraint::lower(0.0));
  const auto global = model.parameter("global", {}, Constraint::lower(0.0));
  model.prior(normal_lpdf(a, 0.0, 2.0));
  model.prior(std_normal_lpdf(z));
  model.prior(student_t_lpdf(local, 3.0, 0.0, 1.0));
  model.prior(normal_lpdf(global, 0.0, 1.0));
  model.likelihood(bernoulli_logit_lpmf(model.row("hit"), a + dot(model.row("x"), z * local * global)));
  return model;
}

SampleOptions run_of(const std::string& method, const Model& model, std::uint64_t iterations) {
  SampleOptions options;
  options.method(method);
  options.warmup = 600;
  options.iterations = iterations;
  options.chains = 2;
  const auto value = [&](std::size_t k) { return model.parameters()[k].value; };
  options.functions = {{"beta", value(1) * value(2) * value(3)}};
  return options;
}

std::vector<double> column_of(const MemoryDraws& draws, std::size_t chain, const std::string& name) {
  std::vector<double> values(draws.draws(chain));
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = draws(chain, k, draws.index_of(name));
  return values;
}

Estimate mean_of_column(const SampleResult& result, const std::string& name, bool squared) {
  std::vector<Estimate> chains;
  for (std::size_t chain = 0; chain < 2; ++chain) {
    auto values = column_of(result.draws, chain, name);
    if (squared)
      for (double& x : values) x *= x;
    chains.push_back(mean_of_chain(values));
  }
  return combine(0.5, chains[0], 0.5, chains[1]);
}

TEST(HmcEcsRun, OnALogisticHorseshoe_TheLawIsThatOfNuts) {
  const Model model = logistic_horseshoe(600);
  auto options = run_of("hmc-ecs", model, 2000);
  std::get<HmcEcsOptions>(options.sampler).subset_rows = 100;
  const auto subset = sample(model, options), exact = sample(model, run_of("nuts", model, 2000));
  const std::vector<std::string> names = {"a", "beta[1]", "beta[2]", "beta[3]", "beta[4]", "global"};
  const double limit = z_threshold(1e-6, 2 * names.size());
  for (const auto& name : names)
    for (const bool squared : {false, true}) {
      const auto difference =
          combine(1.0, mean_of_column(subset, name, squared), -1.0, mean_of_column(exact, name, squared));
      EXPECT_LT(std::abs(difference.z_score(0.0)), limit) << name << (squared ? " squared" : "");
    }
  double variance = 0;
  for (const double v : column_of(subset.statistics, 0, "subset_variance__")) variance += v / 2000;
  EXPECT_GT(variance, 1e-4);  // zero if subsets contained all rows
  EXPECT_LT(variance, 5.0);
}

TEST(HmcEcsRun, SubsetsAreSmall_WhereExpansionsTellMost) {
  const Model model = logistic_horseshoe(20'000);
  auto options = run_of("hmc-ecs", model, 50);
  options.warmup = 100;
  options.chains = 1;
  const auto result = sample(model, options);
  for (const double v : column_of(result.statistics, 0, "subset_variance__")) EXPECT_LT(v, 5.0);
  for (const double e : column_of(result.statistics, 0, "subset_error__")) EXPECT_LT(std::abs(e), 0.1);
}

TEST(HmcEcsRun, ASavedChain_GoesOnBitForBit) {
  const Model model = logistic_horseshoe(600);
  auto options = run_of("hmc-ecs", model, 50);
  options.warmup = 20;
  std::get<HmcEcsOptions>(options.sampler).subset_rows = 60;
  Chain chain(model, options), other(model, options);
  for (int i = 0; i < 30; ++i) chain.step();
  other.restore(chain.save());
  for (int i = 0; i < 10; ++i) {
    chain.step();
    other.step();
  }
  for (std::size_t c = 0; c < chain.position().size(); ++c) EXPECT_EQ(chain.position()[c], other.position()[c]);
}

TEST(HmcEcsRun, FewRowsOfASubset_AreRefused) {
  HmcEcsOptions options;
  options.subset_rows = 5;
  EXPECT_NE(message_of<OptionError>([&] { options.validate(3); }).find("subset_rows is 5; it must be at least 20"),
            std::string::npos);
}

}  // namespace
}  // namespace sgmcmc::testing
