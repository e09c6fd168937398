// Latent Dirichlet allocation by minibatches of documents: topics sampled by the kernels of <sgmcmc/simplex.hpp>,
// assignments of words to topics by Gibbs sampling within each document.
//
//   const Corpus corpus = Corpus::read("docword.txt", {.vocabulary = "vocab.txt"});
//   LdaOptions options;
//   options.topics = 20;
//   const LdaResult result = fit_lda(corpus, options);
//   result.perplexity;                        // of held-out halves of documents
//   result.model.top_words(0, 10);            // of the first topic
//   result.model.save("folder");
#pragma once

#include <sgmcmc/checkpoint.hpp>
#include <sgmcmc/corpus.hpp>
#include <sgmcmc/simplex.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace sgmcmc {

struct LdaOptions {
  std::uint32_t topics = 50;
  SimplexMethod method = SimplexMethod::scir;
  bool control_variate = false;  ///< control variates for counts, centred at topics found beforehand; not with scir
  double alpha = 0.1;            ///< Dirichlet prior on the topics of a document
  double beta = 0.1;             ///< Dirichlet prior on the words of a topic
  std::uint64_t iterations = 1000;
  std::uint32_t batch_size = 100;  ///< documents per iteration; limited to their number
  double step_size = 0;            ///< 0: default of the method (default_step)
  Schedule schedule{};             ///< used if step_size is given
  std::uint32_t burn_in = 4;       ///< sweeps over a document that are discarded
  std::uint32_t sweeps = 8;        ///< sweeps over a document that are averaged
  /// Keeps the assignments of a document between visits, without burn-in. With all documents in every batch, sweeps = 1
  /// and scir, the draws are then exactly from the posterior. Takes 2 bytes per token.
  bool keep_assignments = false;
  std::uint64_t mode_iterations = 0;   ///< control variates: iterations to find the centre; 0: two passes
  double holdout = 0.1;                ///< share of the documents held out for perplexity
  std::uint32_t most_held_out = 1000;  ///< maximum number of them
  std::uint64_t evaluate_every = 0;    ///< iterations between evaluations of perplexity; 0: a total of 50
  double warmup = 0.5;                 ///< share of the iterations that are warm-up; later draws are averaged
  std::uint64_t seed = 1;
  std::uint32_t chain = 0;
  int threads = 1;                 ///< 0: all processors. Does not affect results
  std::uint64_t memory_bytes = 0;  ///< maximum memory of the model; 0: no limit

  CheckpointOptions checkpoint;                  ///< resuming requires all other options but threads unchanged
  const std::atomic<bool>* interrupt = nullptr;  ///< ends the run early when set; keeps the results so far
  /// Called after every evaluation of perplexity.
  std::function<void(const struct LdaProgress&)> progress;

  void validate() const;  ///< throws OptionError naming the option
};

/// Default step size and schedule of a method, for these numbers of tokens and topics.
struct LdaStep {
  double step_size;
  Schedule schedule;
};
LdaStep default_step(const LdaOptions& options, double tokens);

/// "scir", "sgrld", "sgld", "sgld-cv", ...: sets method and control_variate. Throws OptionError.
void set_lda_method(LdaOptions& options, std::string_view name);
std::string lda_method_name(const LdaOptions& options);

struct TopWord {
  std::uint32_t word = 0;
  double probability = 0;
};

struct LdaProgress {
  std::uint64_t iteration = 0;  ///< completed iterations
  std::uint64_t iterations = 0;
  double perplexity = 0;  ///< of the current draw; NaN if nothing is held out
  double token_updates_per_second = 0;
  double seconds = 0;
  std::vector<double> shares;                   ///< of each topic in the latest documents
  std::vector<std::vector<std::uint32_t>> top;  ///< ten words of each topic
};

/// Topics with the settings needed to apply them to documents.
class TopicModel {
 public:
  TopicModel() = default;
  /// phi: probability of word w in topic k at k * words + w.
  TopicModel(std::uint32_t topics, std::uint32_t words, double alpha, double beta, std::vector<float> phi,
             std::vector<std::string> vocabulary);

  std::uint32_t topics() const { return topics_; }
  std::uint32_t words() const { return words_; }
  double alpha() const { return alpha_; }
  double beta() const { return beta_; }
  const std::vector<std::string>& vocabulary() const { return vocabulary_; }
  std::string word(std::uint32_t id) const;
  std::span<const float> phi() const { return phi_; }

  std::vector<TopWord> top_words(std::uint32_t topic, std::size_t count) const;

  struct ApplyOptions {
    std::uint32_t burn_in = 20;
    std::uint32_t sweeps = 50;
    std::uint64_t seed = 1;
    int threads = 1;
  };
  /// Calls each(document, shares) with the topic proportions of every document. Throws DataError if the vocabularies
  /// differ.
  void apply(const Corpus& corpus, const ApplyOptions& options,
             const std::function<void(std::uint64_t document, std::span<const double> shares)>& each) const;
  /// Perplexity of a random half of the words of every document, given the other half.
  double perplexity(const Corpus& corpus, const ApplyOptions& options) const;

  /// Writes topics.npy (topics x words), vocabulary.txt if words have names, and model.json. Throws FileError.
  void save(const std::string& folder) const;
  static TopicModel load(const std::string& folder);

 private:
  void check(const Corpus& corpus) const;

  std::uint32_t topics_ = 0, words_ = 0;
  double alpha_ = 0, beta_ = 0;
  std::vector<float> phi_;
  std::vector<std::string> vocabulary_;
};

struct PerplexityPoint {
  std::uint64_t iteration = 0;
  double perplexity = 0;  ///< of the draw of that iteration
  double averaged = 0;    ///< of predictions averaged over draws since warm-up; NaN before
  double seconds = 0;
};

struct LdaResult {
  TopicModel model;            ///< topics averaged over the draws since warm-up
  std::vector<double> shares;  ///< of the topics among the tokens of the last batches
  double perplexity = 0;       ///< averaged over draws; NaN if nothing is held out
  double last_perplexity = 0;  ///< of the last draw alone
  std::vector<PerplexityPoint> trace;
  std::uint64_t iterations = 0;  ///< completed
  std::uint64_t documents = 0, held_out = 0;
  std::uint64_t token_updates = 0;
  double gibbs_seconds = 0, seconds = 0;
  std::uint64_t failed_steps = 0;  ///< skipped because they overflowed
  bool interrupted = false;
  /// Time of Gibbs sampling, summed over threads.
  double token_updates_per_second() const {
    return gibbs_seconds > 0 ? static_cast<double>(token_updates) / gibbs_seconds : 0;
  }
};

LdaResult fit_lda(const Corpus& corpus, const LdaOptions& options);

}  // namespace sgmcmc
