// Runs of exact samplers: their statistics and sinks, weights, starting points, and step by step with Chain.
#include "errors/message_of.hpp"
#include "run/models.hpp"
#include "statistics/significance.hpp"

#include <sgmcmc/diagnose.hpp>
#include <sgmcmc/error.hpp>
#include <sgmcmc/sample.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace sgmcmc::testing {
namespace {

SampleOptions short_run(const std::string& method) {
  SampleOptions options;
  options.method(method);
  options.warmup = 200;
  options.iterations = 100;
  options.chains = 2;
  options.threads = 1;
  return options;
}

/// Records everything it receives, in order.
class OrderedSink final : public DrawsSink {
 public:
  void name_statistics(std::span<const std::string> names) override {
    EXPECT_FALSE(begun);
    statistics.begin(names, 1, 50);
  }
  void begin(std::span<const std::string>, std::size_t, std::size_t) override { begun = true; }
  void write_statistics(std::size_t chain, std::span<const double> values) override {
    statistics.write(chain, values, 1.0);
    ++pending;
  }
  void write(std::size_t, std::span<const double>, double weight) override {
    EXPECT_EQ(pending, 1) << "statistics come before the draw they belong to";
    EXPECT_EQ(weight, 1.0);
    pending = 0;
    ++draws;
  }
  MemoryDraws statistics;
  bool begun = false;
  int pending = 0, draws = 0;
};

TEST(ExactRun, Statistics_ReachTheResultAndTheSink) {
  const ManyRegressions problem(4, true);
  for (const std::string method : {"nuts", "hmc", "mala"}) {
    auto options = short_run(method);
    options.chains = 1;
    options.thin = 2;
    OrderedSink sink;
    options.sink = &sink;
    const auto result = sample(problem.model(), options);
    EXPECT_EQ(result.statistics.names(), statistic_names(options.sampler));
    ASSERT_EQ(result.statistics.draws(0), 50u);
    EXPECT_EQ(sink.draws, 50);
    Chain chain(problem.model(), options);
    for (std::uint64_t t = 0; t < options.warmup; ++t) chain.step();
    for (std::size_t draw = 0; draw < 50; ++draw) {
      chain.step();
      chain.step();
      for (std::size_t k = 0; k < chain.statistics().size(); ++k) {
        EXPECT_EQ(result.statistics(0, draw, k), chain.statistics()[k]);
        EXPECT_EQ(sink.statistics(0, draw, k), chain.statistics()[k]);
      }
      EXPECT_EQ(result.draws(0, draw, 0), chain.values()[0]);
      EXPECT_NEAR(result.statistics(0, draw, 0), chain.log_posterior(), 1e-9) << "lp__";
      EXPECT_EQ(result.draws.weights(0)[draw], 1.0);
      EXPECT_EQ(chain.draw_weight(), 1.0);
    }
  }
  auto options = short_run("nuts");
  options.method("sgld").step_size(0.01);
  EXPECT_EQ(sample(problem.model(), options).statistics.chains(), 0u) << "others have none";
}

TEST(ExactRun, PosteriorKnownInClosedForm_IsFound) {
  // 10 means and 10 standard deviations per method: false-alarm rate 1e-5 per method.
  const ManyRegressions problem(10, true);
  for (const std::string method : {"nuts", "hmc", "mala"}) {
    auto options = short_run(method);
    options.warmup = 400;
    options.iterations = 800;
    const auto result = sample(problem.model(), options);
    const double sd = 1.0 / std::sqrt(problem.precision()), most = z_threshold(1e-5, 20);
    for (std::size_t j = 0; j < 10; ++j) {
      const QuantityDraws draws(result.draws, j);
      EXPECT_LT(std::abs(result.draws.mean(j) - problem.mean()[j]), most * mcse_mean(draws)) << method << j;
      EXPECT_LT(std::abs(result.draws.standard_deviation(j) - sd), most * mcse_sd(draws)) << method << j;
      EXPECT_LT(rhat(draws), 1.1);
    }
  }
}

/// N(0, 1) truncated to x > least, without a transform.
Model cut_normal(double least) {
  Model model;
  const auto x = model.parameter("x");
  model.prior(normal_lpdf(x, 0.0, 1.0) + log(x - least));
  return model;
}

TEST(ExactRun, StartsWithoutDensity_AreDrawnAgain) {
  auto options = short_run("nuts");
  options.chains = 8;  // the first starts in (-2, 2) are all above 1.5 with probability 1e-7
  const auto result = sample(cut_normal(1.5), options);
  for (std::size_t chain = 0; chain < 8; ++chain)
    for (std::size_t draw = 0; draw < 100; ++draw) EXPECT_GT(result.draws(chain, draw, 0), 1.5);
}

TEST(ExactRun, NoStartWithDensity_IsToldWithWhatToDo) {
  const auto message = message_of<ModelError>([] { sample(cut_normal(5.0), short_run("nuts")); });
  for (const char* word : {"chain 1", "starting point", "initial values", "initial_radius (it is 2)"})
    EXPECT_NE(message.find(word), std::string::npos) << message;
  auto options = short_run("nuts");
  options.initial["x"] = {6.0};
  EXPECT_NO_THROW(sample(cut_normal(5.0), options));
}

TEST(SamplerReport, TroublesInTheStatistics_AreCountedAndExplained) {
  MemoryDraws statistics;
  const std::vector<std::string> names = {"lp__", "divergent__", "treedepth__", "energy__"};
  statistics.begin(names, 2, 100);
  for (std::size_t chain = 0; chain < 2; ++chain)
    for (int draw = 0; draw < 100; ++draw) {
      // Energies alternate in chain 1 and drift slowly in chain 2.
      const double energy = chain == 0 ? draw % 2 : 0.1 * draw;
      const double row[] = {0.0, draw % 20 == 0 ? 1.0 : 0.0, chain == 1 && draw < 3 ? 8.0 : 2.0, energy};
      statistics.write(chain, row, 1.0);
    }
  const SamplerReport report = report_sampler(statistics, 8);
  EXPECT_TRUE(report.has_statistics);
  EXPECT_EQ(report.draws, 200u);
  EXPECT_EQ(report.divergences, 10u);
  EXPECT_EQ(report.at_max_depth, 3u);
  ASSERT_EQ(report.energy_fractions.size(), 2u);
  EXPECT_DOUBLE_EQ(report.energy_fractions[0], 99.0 / (100.0 * 0.25));
  EXPECT_NEAR(report.energy_fractions[1], 99.0 / (100.0 * (1e4 - 1.0) / 12.0), 1e-9);
  const auto warnings = report.warnings();
  ASSERT_EQ(warnings.size(), 3u);
  EXPECT_NE(warnings[0].find("10 of 200 draws (5 %)"), std::string::npos) << warnings[0];
  EXPECT_NE(warnings[0].find("target_acceptance"), std::string::npos);
  EXPECT_NE(warnings[1].find("3 of 200"), std::string::npos) << warnings[1];
  EXPECT_NE(warnings[1].find("max_tree_depth 8"), std::string::npos) << warnings[1];
  EXPECT_NE(warnings[2].find("(chain 2)"), std::string::npos) << warnings[2];
  EXPECT_EQ(warnings[2].find("(chain 1)"), std::string::npos) << warnings[2];
  EXPECT_FALSE(report_sampler(MemoryDraws{}).has_statistics);
  EXPECT_TRUE(report_sampler(MemoryDraws{}).warnings().empty());
}

}  // namespace
}  // namespace sgmcmc::testing
