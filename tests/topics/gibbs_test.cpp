// Gibbs sampling within a document: topics are drawn with the right probabilities, whatever their number, and counts
// stay those of the assignments.
#include "topics/gibbs.hpp"

#include "statistics/significance.hpp"
#include "topics/batch_counts.hpp"

#include <boost/math/distributions/chi_squared.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

namespace sgmcmc {
namespace {

TopicTable table_of(std::size_t words, std::size_t topics, std::uint64_t seed = 1) {
  std::vector<double> log_theta(words * topics), totals(topics);
  fill_normal({seed, 0, 0, Purpose::data}, std::span<double>(log_theta));
  TopicTable table(words, topics);
  ThreadPool pool(1);
  table.set(log_theta, totals, pool);
  return table;
}

TEST(DocumentGibbs, OneToken_ChoosesTopicsByTheirWeights) {
  // p-value of a chi-squared test for each number of topics; false alarms: 1e-4 each.
  for (const std::size_t topics : {1, 2, 15, 16, 17, 100, 1000}) {
    const TopicTable table = table_of(3, topics);
    DocumentGibbs gibbs(topics, 0.1);
    const std::vector<WordCount> document = {{1, 1}};
    constexpr std::size_t draws = 100000;
    std::vector<double> uniforms(draws);
    fill_uniform({3, 0, topics, Purpose::latent}, uniforms);
    std::vector<double> seen(topics), expected(topics);
    gibbs.load(document);
    gibbs.assign(table, std::span(uniforms).first(1));
    for (const double u : uniforms) {
      gibbs.sweep(table, {&u, 1});  // its own token left out: weights are alpha phi
      ++seen[gibbs.assignments()[0]];
    }
    double total = 0;
    for (std::size_t k = 0; k < topics; ++k) total += static_cast<double>(table.row(1)[k]);
    double statistic = 0, statistic_of_other = 0;
    for (std::size_t k = 0; k < topics; ++k) {
      const double mean = draws * static_cast<double>(table.row(1)[k]) / total;
      statistic += (seen[k] - mean) * (seen[k] - mean) / mean;
      const double other = draws * static_cast<double>(table.row(2)[k]) / total;
      statistic_of_other += (seen[k] - other) * (seen[k] - other) / other;
    }
    if (topics == 1) continue;
    const boost::math::chi_squared law(static_cast<double>(topics - 1));
    EXPECT_GT(boost::math::cdf(boost::math::complement(law, statistic)), 1e-4) << topics;
    EXPECT_LT(boost::math::cdf(boost::math::complement(law, statistic_of_other)), 1e-4) << "another word, " << topics;
  }
}

TEST(DocumentGibbs, CountsAfterManySweeps_AreThoseOfTheAssignments) {
  const std::size_t topics = 37;
  const TopicTable table = table_of(10, topics);
  DocumentGibbs gibbs(topics, 0.3);
  gibbs.load(std::vector<WordCount>{{0, 5}, {3, 200}, {9, 1}});
  ASSERT_EQ(gibbs.tokens(), 206U);
  std::vector<double> uniforms(206);
  for (std::uint64_t s = 0; s < 50; ++s) {
    fill_uniform({1, 0, s, Purpose::latent}, uniforms);
    s == 0 ? gibbs.assign(table, uniforms) : gibbs.sweep(table, uniforms);
  }
  std::vector<float> counts(topics);
  for (const auto topic : gibbs.assignments()) ++counts[topic];
  EXPECT_TRUE(std::equal(counts.begin(), counts.end(), gibbs.counts().begin()));
}

TEST(DocumentGibbs, UniformsAtTheirEnds_ChooseTopicsThatExist) {
  for (const std::size_t topics : {1, 5, 16, 33}) {
    const TopicTable table = table_of(2, topics);
    DocumentGibbs gibbs(topics, 1e-6);
    gibbs.load(std::vector<WordCount>{{0, 3}, {1, 3}});
    for (const double u : {0x1p-53, 0.5, 1 - 0x1p-53}) {
      const std::vector<double> uniforms(6, u);
      gibbs.load(std::vector<WordCount>{{0, 3}, {1, 3}});
      gibbs.assign(table, uniforms);
      gibbs.sweep(table, uniforms);
      for (const auto topic : gibbs.assignments()) EXPECT_LT(topic, topics);
    }
  }
}

TEST(TopicTable, WordsRareInEveryTopic_DoNotUnderflow) {
  const std::vector<double> log_theta = {-2000, -2001, -3, 0}, totals = {0, 0};
  TopicTable table(2, 2);
  ThreadPool pool(1);
  table.set(log_theta, totals, pool);
  EXPECT_FLOAT_EQ(table.row(0)[0], 1.0F);
  EXPECT_FLOAT_EQ(table.row(0)[1], std::exp(-1.0F));
  EXPECT_EQ(table.log_scale(0), -2000);
}

TEST(BatchGibbs, Threads_DoNotChangeTheCounts) {
  DocumentStoreBuilder builder(0, "");
  for (std::uint32_t d = 0; d < 40; ++d) {
    for (std::uint32_t w = 0; w < 5; ++w) builder.add({(d * 7 + w * 3) % 20, 1 + (d + w) % 4});
    builder.end_document();
  }
  const auto store = builder.finish();
  const TopicTable table = table_of(20, 9);
  const auto run = [&](int threads) {
    ThreadPool pool(threads);
    BatchGibbs gibbs(*store, 9, 0.1, pool);
    std::vector<std::uint32_t> documents(40), counts(20 * 9);
    std::iota(documents.begin(), documents.end(), 0U);
    gibbs.run(documents, {2, 3}, table, counts, {1, 0, 0, Purpose::latent});
    EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0U), 3 * gibbs.batch_tokens());
    return counts;
  };
  EXPECT_EQ(run(1), run(3));
}

TEST(BatchGibbs, SameTableTwice_DiffersInNothing) {
  // Control variates rely on this: at the centre the two sets of counts are equal, so their difference has no noise.
  DocumentStoreBuilder builder(0, "");
  for (std::uint32_t d = 0; d < 10; ++d) {
    builder.add({d % 20, 6});
    builder.add({(d + 3) % 20, 5});
    builder.end_document();
  }
  const auto store = builder.finish();
  const TopicTable table = table_of(20, 9), copy = table.copy();
  ThreadPool pool(1);
  BatchGibbs gibbs(*store, 9, 0.1, pool);
  std::vector<std::uint32_t> documents = {0, 3, 4, 9}, counts(180), other(180);
  gibbs.run(documents, {1, 2}, table, counts, {1, 0, 0, Purpose::latent}, &copy, other);
  EXPECT_EQ(counts, other);
}

}  // namespace
}  // namespace sgmcmc
