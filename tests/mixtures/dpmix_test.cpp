// Dirichlet process mixtures: predictions are probabilities, known clusters are found, results depend on the seed only,
// and errors are reported.
#include "mixtures/dpmix_chain.hpp"
#include "mixtures/prediction.hpp"

#include <sgmcmc/dpmix.hpp>
#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace sgmcmc {
namespace {

/// Documents of five words: document d has words of group d mod groups, four words each, and no others.
Corpus grouped(std::uint32_t documents, std::uint32_t groups) {
  Corpus::Builder builder(4 * groups);
  std::vector<std::uint32_t> chosen(5);
  const std::vector<std::uint32_t> ones(5, 1);
  for (std::uint32_t d = 0; d < documents; ++d) {
    fill_below({7, 0, d, Purpose::data}, 4, chosen);
    for (auto& word : chosen) word += 4 * (d % groups);
    builder.add(chosen, ones);
  }
  return builder.build();
}

DpmixOptions short_run(SimplexMethod method) {
  DpmixOptions options;
  options.method = method;
  options.iterations = 400;
  options.batch_size = 100;
  options.initial_clusters = 8;
  return options;
}

TEST(Sticks, WeightsAndTheRest_SumToOne) {
  ThreadPool pool(1);
  for (const auto method : {SimplexMethod::scir, SimplexMethod::sgrld}) {
    Sticks sticks(method);
    for (std::uint64_t j = 0; j < 12; ++j) sticks.add_from_prior(2.5, {1, 0, 0, Purpose::user}, j);
    const auto sum = [&] {
      double total = std::exp(sticks.log_rest());
      for (const double x : sticks.log_weights()) total += std::exp(x);
      return total;
    };
    EXPECT_NEAR(sum(), 1.0, 1e-12);
    EXPECT_NEAR(std::exp(sticks.log_weights()[1]),
                (1 - std::exp(sticks.log_weights()[0])) * (1 - std::exp(sticks.log_complement(1))), 1e-12);
    const std::vector<double> counts(12, 5.0);
    EXPECT_TRUE(sticks.step(counts, 2.5, 0.1, {1, 0, 1, Purpose::user}, {1, 0, 2, Purpose::user}, pool));
    EXPECT_NEAR(sum(), 1.0, 1e-12);
    sticks.shorten(3);
    EXPECT_EQ(sticks.size(), 3U);
    EXPECT_NEAR(sum(), 1.0, 1e-12);
  }
}

TEST(DpmixPrediction, ProbabilitiesOfAllDocumentsOfALength_SumToOne) {
  constexpr std::uint32_t words = 3;
  constexpr double beta = 0.4;
  DocumentStoreBuilder builder(0, "");
  for (std::uint32_t a = 0; a < words; ++a)
    for (std::uint32_t b = 0; b < words; ++b) {
      builder.add({a, 1});
      builder.add({b, 1});
      builder.end_document();
    }
  const auto store = builder.finish();
  ThreadPool pool(1);
  Sticks sticks(SimplexMethod::scir);
  ClusterTable table(SimplexMethod::scir, words, beta);
  const auto total = [&] {
    double sum = 0;
    for (std::uint64_t d = 0; d < store->documents(); ++d) {
      HeldOutDocuments one(*store, 1, words, beta, [&](std::uint64_t) { return d; });
      const double log_probability = one.evaluate(sticks, table, true, pool);
      EXPECT_NEAR(one.evaluate(sticks, table, true, pool), log_probability, 1e-14);
      EXPECT_NEAR(one.averaged(), log_probability, 1e-12) << "the average of equal draws";
      sum += std::exp(log_probability);
    }
    return sum;
  };
  EXPECT_NEAR(total(), 1.0, 1e-12) << "no cluster is known: the prior";
  for (std::uint64_t j = 0; j < 4; ++j) {
    sticks.add_from_prior(1.0, {3, 0, 0, Purpose::user}, j);
    table.add_from_prior({3, 0, 1, Purpose::user}, j);
  }
  EXPECT_NEAR(total(), 1.0, 1e-12);
}

TEST(Dpmix, ClustersThatAreThere_AreFound) {
  const Corpus corpus = grouped(600, 3);
  for (const auto method : {SimplexMethod::scir, SimplexMethod::sgrld}) {
    DpmixOptions options = short_run(method);
    if (method == SimplexMethod::sgrld) options.step_size = 0.01;
    const DpmixResult result = fit_dpmix(corpus, options);
    EXPECT_EQ(result.documents, 540U);
    EXPECT_EQ(result.held_out, 60U);
    EXPECT_EQ(result.failed_steps, 0U);
    EXPECT_EQ(result.truncated_steps, 0U);
    // With everything known: log(1/3) + 5 log(1/4). With nothing: 5 log(1/12).
    EXPECT_GT(result.log_predictive, -9.0) << simplex_method_name(method);
    EXPECT_LT(result.log_predictive, std::log(1.0 / 3) + 5 * std::log(0.25) + 0.3);
    double shared = 0;  // of the weight, by clusters that keep to the words of one group
    for (const auto& cluster : result.clusters) {
      const auto top = cluster.top_words(4);
      bool is_pure = true;
      for (const auto word : top) is_pure = is_pure && word / 4 == top[0] / 4;
      if (is_pure) shared += cluster.weight;
    }
    EXPECT_GT(shared, 0.7) << simplex_method_name(method);
    EXPECT_EQ(result.trace.back().iteration, 400U);
    EXPECT_EQ(result.trace.back().clusters, result.clusters.size());
  }
}

TEST(Dpmix, Threads_ChangeNothing) {
  const Corpus corpus = grouped(400, 3);
  DpmixOptions options = short_run(SimplexMethod::scir);
  options.iterations = 60;
  const DpmixResult one = fit_dpmix(corpus, options);
  options.threads = 3;
  const DpmixResult three = fit_dpmix(corpus, options);
  EXPECT_EQ(one.log_predictive, three.log_predictive);
  EXPECT_EQ(one.mean_concentration, three.mean_concentration);
  ASSERT_EQ(one.clusters.size(), three.clusters.size());
  for (std::size_t j = 0; j < one.clusters.size(); ++j) {
    EXPECT_EQ(one.clusters[j].documents, three.clusters[j].documents);
    EXPECT_EQ(one.clusters[j].probabilities, three.clusters[j].probabilities);
  }
  options.seed = 2;
  EXPECT_NE(fit_dpmix(corpus, options).log_predictive, one.log_predictive);
}

TEST(Dpmix, AFixedConcentration_StaysAndFewClustersAreCounted) {
  const Corpus corpus = grouped(200, 2);
  DpmixOptions options = short_run(SimplexMethod::scir);
  options.iterations = 30;
  options.concentration = 50;
  options.most_clusters = 8;
  const DpmixResult result = fit_dpmix(corpus, options);
  EXPECT_EQ(result.mean_concentration, 50.0);
  EXPECT_GT(result.truncated_steps, 0U) << "weights under a concentration of 50 need more than 8 clusters";
  EXPECT_LE(result.clusters.size(), 8U);
  options.holdout = 0;
  EXPECT_TRUE(std::isnan(fit_dpmix(corpus, options).log_predictive));
}

TEST(Dpmix, AnInterrupt_KeepsWhatThereIs) {
  std::atomic<bool> stop{true};
  DpmixOptions options = short_run(SimplexMethod::scir);
  options.interrupt = &stop;
  const DpmixResult result = fit_dpmix(grouped(100, 2), options);
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(result.iterations, 1U);
  EXPECT_EQ(result.trace.size(), 1U);
  EXPECT_TRUE(std::isfinite(result.log_predictive));
}

std::string refusal(const DpmixOptions& options) {
  try {
    options.validate();
  } catch (const OptionError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(DpmixOptions, Mistakes_AreNamed) {
  DpmixOptions options;
  EXPECT_EQ(refusal(options), "accepted");
  options.method = SimplexMethod::sgld;
  EXPECT_EQ(refusal(options), "method is sgld; a Dirichlet process needs scir or sgrld");
  options = {};
  options.beta = -1;
  EXPECT_EQ(refusal(options), "beta is -1; it must be positive and finite");
  options = {};
  options.concentration_rate = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refusal(options), "concentration_rate is nan; it must be positive and finite");
  options = {};
  options.most_clusters = 5;
  EXPECT_EQ(refusal(options), "most_clusters is 5, less than the 20 of initial_clusters");
  options = {};
  options.holdout = 1;
  EXPECT_EQ(refusal(options), "holdout is 1; it must be a share of the documents, from 0 to below 1");
  options = {};
  options.iterations = 0;
  EXPECT_EQ(refusal(options), "iterations is 0; it must be at least 1");
}

}  // namespace
}  // namespace sgmcmc
