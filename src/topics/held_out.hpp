// Perplexity by document completion: that of a random half of the words of each held-out document, given the other
// half.
#pragma once

#include <sgmcmc/state.hpp>
#include "base/thread_pool.hpp"
#include "topics/document_store.hpp"
#include "topics/gibbs.hpp"
#include "topics/topic_table.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace sgmcmc {

/// Assigns tokens to the halves alternately, in a random order from the seed; omits documents of one token.
class HeldOut {
 public:
  /// document_of(i), i below `documents`: the held-out documents.
  HeldOut(const DocumentStore& store, std::uint64_t documents,
          const std::function<std::uint64_t(std::uint64_t)>& document_of, std::uint64_t seed);

  std::uint64_t documents() const { return given_end_.size(); }
  std::uint64_t predicted_tokens() const { return predicted_tokens_; }

  /// Perplexity under the topics of a table. If averaged, also adds the probabilities to those of earlier draws.
  double evaluate(const TopicTable& table, double alpha, std::uint32_t burn_in, std::uint32_t sweeps,
                  std::uint64_t iteration, bool averaged, ThreadPool& pool);
  /// Perplexity of probabilities averaged over draws; NaN if there were none.
  double averaged_perplexity() const;

  /// The state that evaluate() changes.
  void visit_state(StateVisitor& visitor) {
    visitor.visit_numbers("probability_sums", sum_);
    visitor.visit("probability_draws", draws_);
  }

 private:
  std::uint64_t seed_;
  std::vector<WordCount> given_, predicted_;
  std::vector<std::uint64_t> given_end_, predicted_end_, first_token_;
  std::uint64_t predicted_tokens_ = 0;
  std::vector<double> probability_, sum_;  // of every predicted entry: under this table, and over draws
  std::uint64_t draws_ = 0;
};

/// Shares of the topics in the document that `gibbs` has loaded: (n_k + alpha) / (n + topics alpha), averaged over
/// sweeps. Takes (1 + burn_in + sweeps) times its tokens from the stream, from `first` on.
void average_shares(DocumentGibbs& gibbs, const TopicTable& table, double alpha, std::uint32_t burn_in,
                    std::uint32_t sweeps, const StreamKey& key, std::uint64_t first, std::vector<double>& uniforms,
                    std::span<double> shares);

}  // namespace sgmcmc
