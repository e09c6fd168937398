// Whole runs: known topics are found, perplexity falls below that of one topic, results depend on the seed only, and
// models are unchanged after saving and loading.
#include <sgmcmc/lda.hpp>

#include "data/written_files.hpp"
#include "topics/document_choice.hpp"
#include "topics/held_out.hpp"

#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <set>

namespace sgmcmc {
namespace {

using testing::WrittenFiles;

constexpr std::uint32_t words = 60, planted = 4, words_of_topic = 15;

/// Documents about two of four topics each; topic k has words 15 k to 15 k + 14.
Corpus planted_corpus(std::uint32_t documents, std::uint64_t seed = 1) {
  Corpus::Builder builder(words);
  std::vector<double> uniforms(80);
  for (std::uint32_t d = 0; d < documents; ++d) {
    fill_uniform({seed, 0, d, Purpose::data}, uniforms);
    const auto first = static_cast<std::uint32_t>(uniforms[0] * planted);
    const std::uint32_t second = (first + 1 + static_cast<std::uint32_t>(uniforms[1] * (planted - 1))) % planted;
    std::vector<std::uint32_t> ids, ones;
    for (std::size_t i = 2; i < uniforms.size(); i += 2) {
      const std::uint32_t topic = uniforms[i] < 0.8 ? first : second;
      ids.push_back(topic * words_of_topic + static_cast<std::uint32_t>(uniforms[i + 1] * words_of_topic));
      ones.push_back(1);
    }
    builder.add(ids, ones);
  }
  return builder.build();
}

LdaOptions small_run() {
  LdaOptions options;
  options.topics = planted;
  options.iterations = 120;
  options.batch_size = 30;
  options.evaluate_every = 10;
  return options;
}

TEST(Lda, EveryMethod_FindsThePlantedTopics) {
  const Corpus corpus = planted_corpus(200);
  for (const char* method : {"scir", "sgrld", "sgld", "sgld-cv"}) {
    LdaOptions options = small_run();
    set_lda_method(options, method);
    EXPECT_EQ(lda_method_name(options), method);
    if (options.method == SimplexMethod::sgld) {
      options.step_size = 0.01;
      options.iterations = 250;
    }
    const LdaResult result = fit_lda(corpus, options);
    EXPECT_EQ(result.failed_steps, 0U);
    EXPECT_EQ(result.held_out, 20U);
    // Words at random have perplexity 60, topics known and documents not 30, both known about 22.
    EXPECT_LT(result.perplexity, 27.0) << method;
    EXPECT_GT(result.perplexity, 18.0) << method;
    std::set<std::uint32_t> found;
    for (std::uint32_t k = 0; k < planted; ++k) {
      const auto top = result.model.top_words(k, 10);
      std::set<std::uint32_t> topics;
      for (const auto& word : top) topics.insert(word.word / words_of_topic);
      if (topics.size() == 1) found.insert(*topics.begin());
    }
    EXPECT_GE(found.size(), 3U) << method;
  }
}

TEST(Lda, SameSeed_GivesTheSameTopicsWhateverTheThreadsAndWhereverDocumentsAreKept) {
  const WrittenFiles files;
  std::string content;
  const Corpus planted_documents = planted_corpus(60);
  std::vector<WordCount> buffer;
  for (std::uint64_t d = 0; d < 60; ++d) {
    const auto document = planted_documents.store().read(d, buffer);
    content += std::to_string(document.size());
    for (const auto& entry : document) content += ' ' + std::to_string(entry.word) + ":1";
    content += '\n';
  }
  CorpusOptions limited;
  limited.memory_bytes = 3000;
  limited.folder = files.path_of("");
  const Corpus in_memory = Corpus::read(files.write("docs", content));
  const Corpus in_file = Corpus::read(files.path_of("docs"), limited);
  ASSERT_FALSE(in_file.in_memory());
  const auto run = [](const Corpus& corpus, int threads, std::uint64_t seed) {
    LdaOptions options = small_run();
    options.iterations = 20;
    options.threads = threads;
    options.seed = seed;
    const LdaResult result = fit_lda(corpus, options);
    return std::make_pair(result.perplexity, std::vector<float>(result.model.phi().begin(), result.model.phi().end()));
  };
  const auto expected = run(in_memory, 1, 1);
  EXPECT_EQ(run(in_memory, 2, 1), expected);
  EXPECT_EQ(run(in_file, 1, 1), expected);
  EXPECT_EQ(run(in_file, 2, 1), expected);
  EXPECT_NE(run(in_memory, 1, 2), expected);
}

TEST(Lda, ControlVariates_LeaveNoNoiseAtTheCentre) {
  // Without steps the counts of sgld-cv are those of all documents, whatever the batch.
  const Corpus corpus = planted_corpus(100);
  LdaOptions options = small_run();
  set_lda_method(options, "sgld-cv");
  options.step_size = 1e-300;
  options.iterations = 3;
  options.batch_size = 5;
  options.warmup = 0;
  options.evaluate_every = 1;
  const LdaResult result = fit_lda(corpus, options);
  EXPECT_LT(result.last_perplexity, 28) << "the centre is a good place by itself";
}

TEST(Lda, Interrupt_EndsEarlyAndKeepsWhatThereIs) {
  std::atomic<bool> interrupt{false};
  LdaOptions options = small_run();
  options.iterations = 1'000'000;
  options.evaluate_every = 2;
  options.interrupt = &interrupt;
  std::uint64_t seen = 0;
  options.progress = [&](const LdaProgress& progress) {
    seen = progress.iteration;
    EXPECT_EQ(progress.top.size(), planted);
    interrupt = true;
  };
  const LdaResult result = fit_lda(planted_corpus(40), options);
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(result.iterations, 3U);
  EXPECT_EQ(seen, 3U);
  EXPECT_TRUE(std::isfinite(result.perplexity));
}

TEST(Lda, Mistakes_AreRefused) {
  const auto message = [](auto&& change) -> std::string {
    LdaOptions options = small_run();
    try {
      change(options);
      fit_lda(planted_corpus(10), options);
    } catch (const OptionError& error) {
      return error.what();
    }
    return "nothing";
  };
  EXPECT_EQ(message([](auto& o) { o.topics = 0; }), "topics is 0; it must be from 1 to 65534");
  EXPECT_EQ(message([](auto& o) { o.beta = 0; }), "beta is 0; it must be positive and finite");
  EXPECT_EQ(message([](auto& o) { o.holdout = 1; }),
            "holdout is 1; it must be a share of the documents, from 0 to below 1");
  EXPECT_EQ(
      message([](auto& o) { set_lda_method(o, "scir-cv"); }),
      "method: control variates make counts negative, which scir does not allow; use sgld-cv, or scir without them");
  EXPECT_EQ(message([](auto& o) { set_lda_method(o, "sgrdl"); }), "there is no method 'sgrdl'. Did you mean 'sgrld'?");
  EXPECT_EQ(message([](auto& o) { o.memory_bytes = 1000; }).substr(0, 40), "memory: 4 topics of 60 words take 0 MB, ");
}

TEST(TopicModel, SavedAndLoaded_AppliesToNewDocumentsTheSame) {
  const WrittenFiles files;
  const LdaResult result = fit_lda(planted_corpus(150), small_run());
  result.model.save(files.path_of("model"));
  const TopicModel loaded = TopicModel::load(files.path_of("model"));
  EXPECT_TRUE(
      std::equal(loaded.phi().begin(), loaded.phi().end(), result.model.phi().begin(), result.model.phi().end()));
  const Corpus fresh = planted_corpus(30, 99);
  const auto shares_of = [&](const TopicModel& model, int threads) {
    TopicModel::ApplyOptions options;
    options.threads = threads;
    std::vector<double> all;
    model.apply(fresh, options, [&](std::uint64_t document, std::span<const double> shares) {
      EXPECT_EQ(all.size(), document * planted);
      EXPECT_NEAR(std::accumulate(shares.begin(), shares.end(), 0.0), 1.0, 1e-9);
      all.insert(all.end(), shares.begin(), shares.end());
    });
    return all;
  };
  EXPECT_EQ(shares_of(result.model, 1), shares_of(loaded, 2));
  EXPECT_LT(loaded.perplexity(fresh, {}), 27);
}

TEST(TopicModel, BrokenFiles_AreToldByName) {
  const WrittenFiles files;
  const TopicModel model(2, 3, 0.1, 0.1, {0.5F, 0.25F, 0.25F, 0, 0, 1}, {"ape", "bee", "cat"});
  const std::string folder = files.path_of("model");
  model.save(folder);
  EXPECT_EQ(TopicModel::load(folder).word(1), "bee");
  const auto refusal = [&] {
    try {
      TopicModel::load(folder);
    } catch (const Error& error) {
      return files.without_folder(error.what());
    }
    return std::string("accepted");
  };
  files.write("model/vocabulary.txt", "ape\n");
  EXPECT_EQ(refusal(), "model/vocabulary.txt: has 1 words; 3 are needed");
  files.write("model/model.json", "{\"topics\": 2, \"words\": 4, \"alpha\": 0.1, \"beta\": 0.1}");
  EXPECT_EQ(refusal(), "model/topics.npy: does not hold the 2 topics of 4 words that model.json announces");
  files.write("model/model.json", "{\"topics\": 2}");
  EXPECT_EQ(refusal(), "model/model.json: 'words' is missing. Give the output folder of a run of lda");
  EXPECT_THROW(TopicModel(1, 2, 0.1, 0.1, {0.5F, -0.5F}, {}), DataError);
}

TEST(HeldOut, HalvesOfADocument_AreTheDocument) {
  const Corpus corpus = planted_corpus(5);
  const HeldOut halves(
      corpus.store(), 5, [](std::uint64_t i) { return i; }, 1);
  EXPECT_EQ(halves.documents(), 5U);
  EXPECT_EQ(halves.predicted_tokens(), corpus.tokens() / 2 - 2) << "39 tokens each: 19 are predicted";
}

TEST(HeldOut, EvenTopics_HaveThePerplexityOfTheVocabulary) {
  const Corpus corpus = planted_corpus(5);
  HeldOut halves(
      corpus.store(), 5, [](std::uint64_t i) { return i; }, 1);
  TopicTable table(words, 3);
  table.set_probabilities(std::vector<float>(3 * words, 1.0F / words));
  ThreadPool pool(1);
  EXPECT_NEAR(halves.evaluate(table, 0.1, 2, 2, 0, true, pool), words, 1e-4);
  EXPECT_NEAR(halves.averaged_perplexity(), words, 1e-4);
}

TEST(DocumentChoice, HeldOutDocuments_AreNeverVisited) {
  DocumentChoice choice(50, 10, 7, 3, 0);
  std::set<std::uint32_t> held_out, visited;
  for (std::uint32_t i = 0; i < 10; ++i) held_out.insert(choice.held_out_document(i));
  EXPECT_EQ(held_out.size(), 10U);
  std::vector<std::uint32_t> batch;
  for (std::uint64_t t = 0; t < 100; ++t) {
    choice.batch(t, batch);
    EXPECT_EQ(std::set<std::uint32_t>(batch.begin(), batch.end()).size(), 7U);
    visited.insert(batch.begin(), batch.end());
  }
  EXPECT_EQ(visited.size(), 40U);
  for (const auto document : visited) EXPECT_EQ(held_out.count(document), 0U);
}

}  // namespace
}  // namespace sgmcmc
