// Resumed runs of topic models equal uninterrupted ones.
#include "base/checkpoint.hpp"
#include "base/state_bytes.hpp"
#include "topics/lda_chain.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/lda.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

namespace sgmcmc {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t words = 40;

Corpus some_corpus() {
  Corpus::Builder builder(words);
  std::vector<std::uint32_t> ids(12);
  const std::vector<std::uint32_t> ones(12, 1);
  for (std::uint32_t d = 0; d < 90; ++d) {
    fill_below({3, 0, d, Purpose::data}, 10, ids);
    for (auto& id : ids) id += 10 * (d % 4);
    builder.add(ids, ones);
  }
  return builder.build();
}

LdaOptions options_of(const std::string& method, bool keeps) {
  LdaOptions options;
  set_lda_method(options, method);
  options.topics = 5;
  options.iterations = 60;
  options.batch_size = 15;
  options.evaluate_every = 7;
  options.keep_assignments = keeps;
  options.mode_iterations = 20;
  if (options.method == SimplexMethod::sgld) options.step_size = 1e-3;
  return options;
}

std::vector<double> numbers(const LdaResult& result) {
  std::vector<double> all = result.shares;
  all.insert(all.end(), result.model.phi().begin(), result.model.phi().end());
  for (const auto& point : result.trace) {
    all.push_back(static_cast<double>(point.iteration));
    all.push_back(point.perplexity);
    all.push_back(point.averaged);
  }
  for (const double number : {result.perplexity, result.last_perplexity, static_cast<double>(result.iterations),
                              static_cast<double>(result.token_updates), static_cast<double>(result.failed_steps)})
    all.push_back(number);
  std::replace_if(
      all.begin(), all.end(), [](double x) { return x != x; }, -1.0);  // nothing was averaged yet
  return all;
}

class LdaCheckpoint : public ::testing::Test {
 protected:
  LdaCheckpoint()
      : folder_(fs::path(::testing::TempDir()) /
                ("sgmcmc-lda-" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()))),
        corpus_(some_corpus()) {
    fs::remove_all(folder_);
  }
  ~LdaCheckpoint() override { fs::remove_all(folder_); }

  LdaOptions saving(LdaOptions options, bool resume) const {
    options.checkpoint = {folder_, 0, resume, "one"};
    return options;
  }
  /// Interrupts the run in the iteration after this many.
  LdaResult stopped(LdaOptions options, std::uint64_t after) const {
    std::atomic<bool> stop{after == 0};
    options.interrupt = &stop;
    options.progress = [&](const LdaProgress& progress) {
      if (progress.iteration >= after) stop.store(true);
    };
    return fit_lda(corpus_, options);
  }

  fs::path folder_;
  Corpus corpus_;
};

TEST_F(LdaCheckpoint, InterruptedAndResumed_IsTheUndisturbedRun) {
  for (const auto& [method, keeps] : {std::pair("scir", false), std::pair("scir", true), std::pair("sgrld", false),
                                      std::pair("sgld-cv", false), std::pair("sgld", true)}) {
    const auto options = options_of(method, keeps);
    const auto undisturbed = numbers(fit_lda(corpus_, options));
    for (const std::uint64_t after : {7, 28, 49}) {  // before and after warm-up, in iterations 8, 29 and 50
      const LdaResult first = stopped(saving(options, false), after);
      EXPECT_TRUE(first.interrupted);
      EXPECT_EQ(first.iterations, after + 1);
      EXPECT_EQ(checkpointed_iterations(folder_, 1)[0], after + 1);
      EXPECT_EQ(numbers(fit_lda(corpus_, saving(options, true))), undisturbed) << method << " after " << after;
    }
    EXPECT_EQ(numbers(fit_lda(corpus_, saving(options, true))), undisturbed) << method << ", resumed when done";
  }
}

TEST_F(LdaCheckpoint, InterruptedInTheSearchForACentre_LooksAgain) {
  const auto options = options_of("sgld-cv", false);
  EXPECT_TRUE(stopped(saving(options, false), 0).interrupted);
  EXPECT_EQ(checkpointed_identity(folder_), std::nullopt) << "half a search is no finding";
  EXPECT_EQ(checkpointed_iterations(folder_, 1)[0], 0U);
  EXPECT_EQ(numbers(fit_lda(corpus_, saving(options, true))), numbers(fit_lda(corpus_, options)));
}

TEST_F(LdaCheckpoint, KilledBeforeTheFirstState_StartsFromTheCentreThatWasFound) {
  const auto options = options_of("sgld-cv", false);
  stopped(saving(options, false), 7);
  fs::remove(folder_ / "chain-1.checkpoint");
  EXPECT_EQ(numbers(fit_lda(corpus_, saving(options, true))), numbers(fit_lda(corpus_, options)));
}

TEST_F(LdaCheckpoint, OfAnotherRun_IsRefused) {
  const auto options = options_of("scir", false);
  stopped(saving(options, false), 7);
  auto other = saving(options, true);
  other.checkpoint.identity = "two";
  EXPECT_THROW(fit_lda(corpus_, other), FileError);
  auto wider = saving(options, true);  // the same identity by mistake: the state itself does not fit
  wider.topics = 6;
  EXPECT_THROW(fit_lda(corpus_, wider), FileError);
  EXPECT_THROW(fit_lda(corpus_, saving(options_of("scir", true), true)), FileError);
}

TEST(LdaChain, SavedAndRestored_GoesOnBitForBit) {
  const Corpus corpus = some_corpus();
  ThreadPool pool(2);
  for (const bool keeps : {false, true}) {
    auto options = options_of("scir", keeps);
    options.step_size = 0.1;
    LdaChain chain(corpus.store(), words, options, 9, pool);
    for (std::uint64_t t = 0; t < 20; ++t) chain.iterate(t);
    StateWriter writer;
    chain.visit_state(writer);
    const std::string state = writer.take();
    const auto shares = chain.shares();
    LdaChain other(corpus.store(), words, options, 9, pool);
    other.iterate(0);
    StateReader reader(state);
    other.visit_state(reader);
    reader.finish();
    EXPECT_EQ(other.shares(), shares);
    for (std::uint64_t t = 20; t < 40; ++t) {
      chain.iterate(t);
      other.iterate(t);
    }
    EXPECT_TRUE(std::equal(chain.log_theta().begin(), chain.log_theta().end(), other.log_theta().begin()));
    EXPECT_EQ(chain.shares(), other.shares());
    EXPECT_EQ(chain.gibbs().token_updates(), other.gibbs().token_updates());
  }
}

}  // namespace
}  // namespace sgmcmc
