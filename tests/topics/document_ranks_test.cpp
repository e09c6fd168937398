// Topics sampled on several ranks, simulated by threads: the same draws and checkpoints as in one process.
#include "topics/document_ranks.hpp"

#include "ranks/thread_ranks.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/random.hpp>

#include <gtest/gtest.h>

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <vector>

namespace sgmcmc {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t words = 40;

/// Documents of very different lengths; some words are in few of them.
Corpus some_corpus() {
  Corpus::Builder builder(words);
  for (std::uint32_t d = 0; d < 60; ++d) {
    std::vector<std::uint32_t> ids(1 + d % 7 * 5), counts(ids.size(), 1 + d % 3);
    fill_below({4, 0, d, Purpose::data}, 10 + 3 * (d % 4), ids);
    for (auto& id : ids) id += 5 * (d % 4);
    builder.add(ids, counts);
  }
  return builder.build();
}

struct Case {
  std::string method;
  bool keeps = false;
};

LdaOptions options_of(const Case& each) {
  LdaOptions options;
  set_lda_method(options, each.method);
  options.topics = 5;
  options.iterations = 30;
  options.batch_size = 12;
  options.evaluate_every = 7;
  options.keep_assignments = each.keeps;
  options.mode_iterations = 10;
  if (options.method == SimplexMethod::sgld) options.step_size = 1e-3;
  return options;
}

LdaResult fit_over(int size, const Corpus& corpus, const LdaOptions& options) {
  LdaResult result;
  run_as_ranks(size, [&](Communicator& ranks) {
    if (ranks.rank() == 0) {
      result = fit_lda_on_ranks(corpus, options, &ranks);
    } else {
      serve_documents(ranks);
    }
  });
  return result;
}

void expect_same(const LdaResult& one, const LdaResult& other, const std::string& what) {
  EXPECT_EQ(std::vector<float>(one.model.phi().begin(), one.model.phi().end()),
            std::vector<float>(other.model.phi().begin(), other.model.phi().end()))
      << what;
  EXPECT_EQ(one.shares, other.shares) << what;
  EXPECT_EQ(one.token_updates, other.token_updates) << what;
  EXPECT_EQ(one.perplexity, other.perplexity) << what;
}

TEST(DocumentRanks, AnyNumberOfRanks_GivesTheDrawsOfOneProcess) {
  const Corpus corpus = some_corpus();
  for (const Case& each : {Case{"scir"}, Case{"scir", true}, Case{"sgrld"}, Case{"sgld-cv"}}) {
    LdaOptions options = options_of(each);
    const LdaResult serial = fit_lda(corpus, options);
    for (const int ranks : {1, 2, 3, 20})  // more than documents in a batch
      expect_same(fit_over(ranks, corpus, options), serial, each.method + " on " + std::to_string(ranks));
    options.threads = 2;
    expect_same(fit_over(2, corpus, options), serial, each.method + " on 2 with two threads each");
  }
}

TEST(DocumentRanks, InterruptedAndResumedOnOtherRanks_GivesTheDrawsOfOneProcess) {
  const Corpus corpus = some_corpus();
  const fs::path folder = fs::path(::testing::TempDir()) / ("sgmcmc-document-ranks-" + std::to_string(::getpid()));
  for (const Case& each : {Case{"scir", true}, Case{"sgld-cv"}}) {
    fs::remove_all(folder);
    LdaOptions options = options_of(each);
    const LdaResult serial = fit_lda(corpus, options);
    options.checkpoint.folder = folder;
    options.checkpoint.identity = "one";
    std::atomic<bool> stop{false};
    LdaOptions first = options;
    first.interrupt = &stop;
    first.progress = [&](const LdaProgress& progress) { stop.store(progress.iteration >= 7); };
    EXPECT_TRUE(fit_over(3, corpus, first).interrupted) << each.method;
    options.checkpoint.resume = true;
    expect_same(fit_over(2, corpus, options), serial, each.method + " resumed");
    fs::remove_all(folder);
  }
}

}  // namespace
}  // namespace sgmcmc
