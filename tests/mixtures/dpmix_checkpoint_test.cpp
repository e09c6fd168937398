// Resumed runs of Dirichlet process mixtures equal uninterrupted ones.
#include "base/checkpoint.hpp"
#include "base/state_bytes.hpp"
#include "mixtures/dpmix_chain.hpp"

#include <sgmcmc/dpmix.hpp>
#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

namespace sgmcmc {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t words = 12;

Corpus some_corpus() {
  Corpus::Builder builder(words);
  std::vector<std::uint32_t> ids(5);
  const std::vector<std::uint32_t> ones(5, 1);
  for (std::uint32_t d = 0; d < 150; ++d) {
    fill_below({7, 0, d, Purpose::data}, 6, ids);
    for (auto& id : ids) id = (id + 4 * (d % 3)) % words;
    builder.add(ids, ones);
  }
  return builder.build();
}

DpmixOptions options_of(SimplexMethod method) {
  DpmixOptions options;
  options.method = method;
  options.iterations = 90;
  options.batch_size = 40;
  options.initial_clusters = 6;
  options.evaluate_every = 7;
  return options;
}

std::vector<double> numbers(const DpmixResult& result) {
  std::vector<double> all;
  for (const auto& cluster : result.clusters) {
    all.push_back(cluster.weight);
    all.push_back(static_cast<double>(cluster.documents));
    all.insert(all.end(), cluster.probabilities.begin(), cluster.probabilities.end());
  }
  for (const auto& point : result.trace)
    for (const double number : {static_cast<double>(point.iteration), point.log_predictive, point.averaged,
                                static_cast<double>(point.clusters), point.concentration})
      all.push_back(number);
  for (const double number : {result.log_predictive, result.last_log_predictive, result.mean_clusters,
                              result.mean_concentration, static_cast<double>(result.iterations),
                              static_cast<double>(result.failed_steps), static_cast<double>(result.truncated_steps)})
    all.push_back(number);
  std::replace_if(
      all.begin(), all.end(), [](double x) { return x != x; }, -1.0);  // nothing was averaged yet
  return all;
}

TEST(DpmixCheckpoint, InterruptedAndResumed_IsTheUndisturbedRun) {
  const fs::path folder = fs::path(::testing::TempDir()) / "sgmcmc-dpmix-resumed";
  fs::remove_all(folder);
  const Corpus corpus = some_corpus();
  for (const auto method : {SimplexMethod::scir, SimplexMethod::sgrld}) {
    for (const std::uint32_t most : {7, 1000}) {  // clusters: with and without a tail that is cut off
      DpmixOptions options = options_of(method);
      options.most_clusters = most;
      const auto undisturbed = numbers(fit_dpmix(corpus, options));
      DpmixOptions again = options;
      again.checkpoint = {folder, 0, true, "one"};
      for (const std::uint64_t after : {7, 42, 77}) {  // before and after warm-up
        DpmixOptions first = options;
        first.checkpoint = {folder, 0, false, "one"};
        std::atomic<bool> stop{false};
        first.interrupt = &stop;
        first.progress = [&](const DpmixPoint& point) {
          if (point.iteration >= after) stop.store(true);
        };
        const DpmixResult stopped = fit_dpmix(corpus, first);
        EXPECT_TRUE(stopped.interrupted);
        EXPECT_EQ(stopped.iterations, after + 1);
        EXPECT_EQ(checkpointed_iterations(folder, 1)[0], after + 1);
        EXPECT_EQ(numbers(fit_dpmix(corpus, again)), undisturbed) << after;
      }
      EXPECT_EQ(numbers(fit_dpmix(corpus, again)), undisturbed) << "resumed when done";
      again.checkpoint.identity = "two";
      EXPECT_THROW(fit_dpmix(corpus, again), FileError);
    }
  }
  fs::remove_all(folder);
}

TEST(DpmixChain, SavedAndRestored_GoesOnBitForBit) {
  const Corpus corpus = some_corpus();
  ThreadPool pool(2);
  DpmixOptions options = options_of(SimplexMethod::scir);
  options.step_size = options.stick_step_size = 0.1;
  DpmixChain chain(corpus.store(), words, options, 10, pool);
  for (std::uint64_t t = 0; t < 40; ++t) chain.iterate(t);
  StateWriter writer;
  chain.visit_state(writer);
  const std::string state = writer.take();
  options.initial_clusters = 30;  // more room than the other has
  DpmixChain other(corpus.store(), words, options, 10, pool);
  StateReader reader(state);
  other.visit_state(reader);
  reader.finish();
  for (std::uint64_t t = 40; t < 80; ++t) {
    chain.iterate(t);
    other.iterate(t);
  }
  const auto one = chain.state(), two = other.state();
  EXPECT_EQ(one.log_sticks, two.log_sticks);
  EXPECT_EQ(one.log_theta, two.log_theta);
  EXPECT_EQ(one.assignments, two.assignments);
  EXPECT_EQ(one.concentration, two.concentration);
  EXPECT_EQ(chain.truncated(), other.truncated());
}

}  // namespace
}  // namespace sgmcmc
