// Chains on other ranks, simulated by threads: the same draws, checkpoints and errors as in one process.
#include "run/ranked_sample.hpp"
#include "base/checkpoint.hpp"
#include "chains/setup.hpp"
#include "ranks/thread_ranks.hpp"
#include "run/models.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/sample.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace sgmcmc::testing {
namespace {

namespace fs = std::filesystem;

class ThreadChainRanks final : public ChainRanks {
 public:
  explicit ThreadChainRanks(Communicator& ranks) : ranks_(ranks) {}
  Communicator& communicator() override { return ranks_; }
  void start(const RunSetup& setup, std::uint32_t chains) override {
    ChainJob job;
    job.findings = setup.options().findings;
    job.chains = chains;
    job.checkpoint_seconds = setup.options().checkpoint.folder.empty() ? -1 : setup.options().checkpoint.every_seconds;
    job.progress = static_cast<bool>(setup.options().progress);
    for (int rank = 1; rank < ranks_.size(); ++rank) ranks_.send(rank, channel::control, job.bytes());
  }
  void stop(int) override { stopped.store(true); }
  static std::atomic<bool> stopped;

 private:
  Communicator& ranks_;
};
std::atomic<bool> ThreadChainRanks::stopped{false};

/// Rank 0 samples; the others get the options as requested, without the callbacks and findings of rank 0.
SampleResult sample_over(int ranks, const Model& model, const SampleOptions& options) {
  SampleResult result;
  ThreadChainRanks::stopped.store(false);
  run_as_ranks(ranks, [&](Communicator& communicator) {
    if (communicator.rank() == 0) {
      ThreadChainRanks chains(communicator);
      result = sample(model, options, &chains);
      return;
    }
    SampleOptions own = options;
    own.progress = nullptr;
    own.interrupt = &ThreadChainRanks::stopped;
    serve_chains(communicator, model, own, ChainJob::from(communicator.receive(0, channel::control)));
  });
  return result;
}

SampleOptions options_for(const std::string& method) {
  SampleOptions options;
  options.method(method).step_size(1e-3);
  options.gradient.minibatch.batch_size = 30;
  options.iterations = 200;
  options.thin = 2;
  if (is_exact(options.sampler)) options.warmup = 60;
  options.chains = 5;
  options.threads = 2;
  options.zero_variance = ZeroVarianceForm::linear;
  return options;
}

void expect_same(const SampleResult& a, const SampleResult& b, const std::string& what) {
  ASSERT_EQ(a.draws.chains(), b.draws.chains()) << what;
  for (std::size_t k = 0; k < a.draws.chains(); ++k) {
    ASSERT_EQ(a.draws.draws(k), b.draws.draws(k)) << what;
    for (std::size_t t = 0; t < a.draws.draws(k); ++t) {
      ASSERT_EQ(a.draws.weights(k)[t], b.draws.weights(k)[t]) << what;
      for (std::size_t j = 0; j < a.names.size(); ++j) ASSERT_EQ(a.draws(k, t, j), b.draws(k, t, j)) << what;
    }
  }
  ASSERT_EQ(a.statistics.chains(), b.statistics.chains()) << what;
  for (std::size_t k = 0; k < a.statistics.chains(); ++k)
    for (std::size_t t = 0; t < a.statistics.draws(k); ++t)
      for (std::size_t j = 0; j < a.statistics.parameters(); ++j)
        ASSERT_EQ(a.statistics(k, t, j), b.statistics(k, t, j)) << what;
  for (std::size_t j = 0; j < a.names.size(); ++j) {
    EXPECT_EQ(a.moments.mean()[j], b.moments.mean()[j]) << what;
    EXPECT_EQ(a.moments.variance(j), b.moments.variance(j)) << what;
  }
  ASSERT_EQ(a.zero_variance.size(), b.zero_variance.size()) << what;
  for (std::size_t j = 0; j < a.zero_variance.size(); ++j)
    EXPECT_EQ(a.zero_variance[j].mean, b.zero_variance[j].mean) << what;
  ASSERT_EQ(a.warmup.size(), b.warmup.size()) << what;
}

TEST(RankedSample, AnyNumberOfRanks_GivesTheDrawsOfOneProcess) {
  const LogisticData data(300, 3);
  const Model model = logistic_regression(data);
  for (const std::string method : {"sgld", "sgld-cv", "sgnht-saga", "nuts"}) {
    const auto options = options_for(method);
    const auto serial = sample(model, options);
    for (const int ranks : {1, 2, 3, 7})
      expect_same(sample_over(ranks, model, options), serial, method + " on " + std::to_string(ranks));
  }
}

TEST(RankedSample, InterruptedAndResumedOnOtherRanks_GivesTheDrawsOfOneProcess) {
  const LogisticData data(300, 3);
  const Model model = logistic_regression(data);
  const fs::path folder = fs::path(::testing::TempDir()) / "sgmcmc-ranked-sample";
  for (const std::string method : {"sgld-cv", "nuts"}) {
    fs::remove_all(folder);
    auto options = options_for(method);
    const auto serial = sample(model, options);
    options.checkpoint.folder = folder;
    options.checkpoint.every_seconds = 1e-9;
    options.checkpoint.identity = "one";
    std::atomic<bool> stop{false};
    auto first = options;
    first.interrupt = &stop;
    first.progress_seconds = 0;
    first.progress = [&](const Progress& progress) {
      if (progress.iteration >= 100) stop.store(true);
    };
    sample_over(3, model, first);
    options.checkpoint.resume = true;
    expect_same(sample_over(2, model, options), serial, method + " resumed on 2");
    expect_same(sample(model, options), serial, method + " read back by one process");
    fs::remove_all(folder);
  }
}

TEST(RankedSample, ErrorsOfOtherRanks_AreThoseOfOneProcess) {
  const LogisticData data(300, 3);
  const Model model = logistic_regression(data);
  auto options = options_for("sgld");
  options.step_size(1e6);
  options.recoveries = 0;
  EXPECT_THROW(sample(model, options), DivergenceError);
  for (const int ranks : {2, 5}) EXPECT_THROW(sample_over(ranks, model, options), DivergenceError) << ranks;
}

TEST(RankedSample, RankThatCannotBegin_IsNamed) {
  const LogisticData data(300, 3);
  const Model model = logistic_regression(data);
  const auto options = options_for("sgld");
  try {
    run_as_ranks(2, [&](Communicator& communicator) {
      if (communicator.rank() == 0) {
        ThreadChainRanks chains(communicator);
        sample(model, options, &chains);
      } else {
        refuse_chains(communicator, options.chains, "its disk is gone");
      }
    });
    FAIL();
  } catch (const RankError& error) {
    EXPECT_NE(std::string(error.what()).find("rank 1: its disk is gone"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace sgmcmc::testing
