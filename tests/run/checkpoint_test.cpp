// Resumed runs equal uninterrupted ones.
#include "base/checkpoint.hpp"
#include "run/models.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/sample.hpp>

#include <gtest/gtest.h>

#include <fstream>

namespace sgmcmc::testing {
namespace {

namespace fs = std::filesystem;

class Checkpoint : public ::testing::Test {
 protected:
  Checkpoint()
      : folder_(fs::path(::testing::TempDir()) /
                ("sgmcmc-checkpoint-" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()))),
        data_(120, 3),
        model_(logistic_regression(data_)) {
    fs::remove_all(folder_);
  }
  ~Checkpoint() override { fs::remove_all(folder_); }

  SampleOptions options(const std::string& method) const {
    SampleOptions options;
    options.method(method).step_size(1e-3);
    options.gradient.minibatch.batch_size = 20;
    options.iterations = 400;
    options.warmup = 30;
    options.thin = 3;
    options.chains = 2;
    options.threads = 2;
    return options;
  }
  SampleOptions saving(SampleOptions options, bool resume) const {
    options.checkpoint.folder = folder_;
    options.checkpoint.every_seconds = 1e-9;
    options.checkpoint.resume = resume;
    options.checkpoint.identity = "one";
    return options;
  }

  fs::path folder_;
  LogisticData data_;
  Model model_;
};

/// Interrupts a run once a chain has made this many iterations.
struct Stopper {
  Stopper(SampleOptions& options, std::uint64_t after) {
    options.interrupt = &stop;
    options.progress_seconds = 0;
    options.progress = [this, after](const Progress& progress) {
      if (progress.iteration >= after) stop.store(true);
    };
  }
  std::atomic<bool> stop{false};
};

void expect_same(const SampleResult& a, const SampleResult& b, const std::string& what) {
  ASSERT_EQ(a.draws.chains(), b.draws.chains());
  for (std::size_t k = 0; k < a.draws.chains(); ++k) {
    ASSERT_EQ(a.draws.draws(k), b.draws.draws(k)) << what;
    for (std::size_t t = 0; t < a.draws.draws(k); ++t)
      for (std::size_t j = 0; j < a.names.size(); ++j) ASSERT_EQ(a.draws(k, t, j), b.draws(k, t, j)) << what;
  }
  ASSERT_EQ(a.statistics.chains(), b.statistics.chains());
  for (std::size_t k = 0; k < a.statistics.chains(); ++k)
    for (std::size_t t = 0; t < a.statistics.draws(k); ++t)
      for (std::size_t j = 0; j < a.statistics.parameters(); ++j)
        ASSERT_EQ(a.statistics(k, t, j), b.statistics(k, t, j)) << what;
  for (std::size_t j = 0; j < a.names.size(); ++j) {
    EXPECT_EQ(a.moments.mean()[j], b.moments.mean()[j]) << what;
    EXPECT_EQ(a.moments.variance(j), b.moments.variance(j)) << what;
  }
  ASSERT_EQ(a.zero_variance.size(), b.zero_variance.size());
  for (std::size_t j = 0; j < a.zero_variance.size(); ++j) {
    const auto same = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
    EXPECT_TRUE(same(a.zero_variance[j].mean, b.zero_variance[j].mean)) << what;  // NaN: too few draws
    EXPECT_TRUE(same(a.zero_variance[j].mcse, b.zero_variance[j].mcse)) << what;
  }
  EXPECT_EQ(a.centre, b.centre) << what;
  ASSERT_EQ(a.mode_report.has_value(), b.mode_report.has_value()) << what;
  if (a.mode_report) {
    EXPECT_EQ(a.mode_report->describe(), b.mode_report->describe()) << what;
  }
}

TEST_F(Checkpoint, InterruptedAndResumed_IsTheUndisturbedRun) {
  int known = 0;
  for (const std::string method :
       {"sgld-cv", "sghmc-saga", "sgnht-svrg", "baoab-cv", "nuts", "laplace", "sgrld-cv", "sglm-cv", "sglm"}) {
    const auto undisturbed = sample(model_, options(method));
    for (const auto& estimate : undisturbed.zero_variance) known += std::isnan(estimate.mean) ? 0 : 1;
    for (const int after : {1, 40, 333}) {
      auto first = saving(options(method), false);
      const Stopper stopper(first, static_cast<std::uint64_t>(after));
      EXPECT_TRUE(sample(model_, first).interrupted) << method;
      const auto resumed = sample(model_, saving(options(method), true));
      EXPECT_FALSE(resumed.interrupted);
      expect_same(resumed, undisturbed, method + " after " + std::to_string(after));
    }
    expect_same(sample(model_, saving(options(method), true)), undisturbed, method + ", resumed when done");
  }
  EXPECT_GT(known, 0) << "no zero-variance mean was compared";
}

TEST_F(Checkpoint, ChainThatWasTakenBack_IsResumedWithItsSmallerSteps) {
  auto wild = options("sgld");
  wild.step_size(1.0);
  const auto undisturbed = sample(model_, wild);
  ASSERT_FALSE(undisturbed.reductions.empty());
  for (const int after : {20, 60, 150, 300}) {
    auto first = saving(wild, false);
    const Stopper stopper(first, static_cast<std::uint64_t>(after));
    EXPECT_TRUE(sample(model_, first).interrupted);
    const auto resumed = sample(model_, saving(wild, true));
    expect_same(resumed, undisturbed, "after " + std::to_string(after));
    ASSERT_EQ(resumed.reductions.size(), undisturbed.reductions.size());
    for (std::size_t k = 0; k < resumed.reductions.size(); ++k) {
      EXPECT_EQ(resumed.reductions[k].diverged_at, undisturbed.reductions[k].diverged_at);
      EXPECT_EQ(resumed.reductions[k].factor, undisturbed.reductions[k].factor);
    }
  }
}

TEST_F(Checkpoint, InterruptedBeforeTheStart_StartsAnew) {
  const auto undisturbed = sample(model_, options("sgld-cv"));
  const std::atomic<bool> stop{true};
  auto first = saving(options("sgld-cv"), false);
  first.interrupt = &stop;
  EXPECT_TRUE(sample(model_, first).interrupted);
  EXPECT_FALSE(fs::exists(folder_ / "setup.checkpoint")) << "half a search for the mode is no finding";
  expect_same(sample(model_, saving(options("sgld-cv"), true)), undisturbed, "resumed");
}

TEST_F(Checkpoint, MoreIterations_AreThoseOfALongerRun) {
  for (const std::string method : {"sgld-cv", "nuts"}) {
    auto longer = options(method);
    longer.iterations = 700;
    const auto undisturbed = sample(model_, longer);
    sample(model_, saving(options(method), false));
    EXPECT_EQ(checkpointed_iterations(folder_, 3), (std::vector<std::uint64_t>{430, 430, 0}));
    expect_same(sample(model_, saving(longer, true)), undisturbed, method);
  }
}

TEST_F(Checkpoint, Resumed_DoesNotLookForTheModeAgain) {
  auto first = saving(options("sgld-cv"), false);
  const Stopper stopper(first, 3);
  const auto stopped = sample(model_, first);
  auto second = saving(options("sgld-cv"), true);
  second.mode.max_iterations = 0;  // a new search would stop at its starting point
  EXPECT_EQ(sample(model_, second).centre, stopped.centre);
  EXPECT_GT(stopped.mode_report->iterations, 0u);
}

TEST_F(Checkpoint, OfAnotherRun_IsRefused) {
  sample(model_, saving(options("sgld"), false));
  auto other = saving(options("sgld"), true);
  other.checkpoint.identity = "two";
  EXPECT_THROW(sample(model_, other), FileError);
  EXPECT_EQ(checkpointed_identity(folder_), "one");
  // If the identity is the same by mistake, the state itself does not fit.
  EXPECT_THROW(sample(model_, saving(options("sgnht"), true)), FileError);
}

TEST_F(Checkpoint, DamagedAnywhere_IsRefused) {
  sample(model_, saving(options("sgld"), false));
  const fs::path path = folder_ / "chain-2.checkpoint";
  std::ifstream file(path, std::ios::binary);
  const std::string good((std::istreambuf_iterator<char>(file)), {});
  const auto refused = [&](const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
    EXPECT_THROW(sample(model_, saving(options("sgld"), true)), FileError);
    EXPECT_EQ(checkpointed_iterations(folder_, 2)[1], 0u);
  };
  for (std::size_t at = 0; at < good.size(); at += 397) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 4);
    refused(bad);
    refused(good.substr(0, at));
  }
  refused(good + "x");
}

TEST_F(Checkpoint, FolderThatCannotBeMade_IsSaid) {
  std::ofstream(folder_.string()) << "a file";
  EXPECT_THROW(sample(model_, saving(options("sgld"), false)), FileError);
}

TEST_F(Checkpoint, NewRunInTheFolder_ForgetsTheOldOne) {
  sample(model_, saving(options("sgld"), false));
  auto other = saving(options("sgnht"), false);
  other.chains = 1;
  sample(model_, other);
  EXPECT_FALSE(fs::exists(folder_ / "chain-2.checkpoint"));
}

}  // namespace
}  // namespace sgmcmc::testing
