// The probability of held-out documents under a Dirichlet process mixture.
#pragma once

#include <sgmcmc/state.hpp>
#include "base/thread_pool.hpp"
#include "mixtures/cluster_table.hpp"
#include "mixtures/sticks.hpp"
#include "topics/document_store.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace sgmcmc {

/// p(x) = sum over known clusters of w_j prod_w phi_jw^x_w + (remaining weight) times the Dirichlet-multinomial
/// probability of x, the mean over clusters from the prior. Without the multinomial coefficient.
class HeldOutDocuments {
 public:
  /// document_of(i), i below `documents`: the held-out documents.
  HeldOutDocuments(const DocumentStore& store, std::uint64_t documents, std::uint32_t words, double beta,
                   const std::function<std::uint64_t(std::uint64_t)>& document_of);

  std::uint64_t documents() const { return ends_.size(); }

  /// Mean over documents of log p(x); NaN if there are none. If averaged, also adds p(x) to averaged().
  double evaluate(const Sticks& sticks, const ClusterTable& table, bool averaged, ThreadPool& pool);
  /// Mean over documents of the log of p(x) averaged over draws; NaN if there were none.
  double averaged() const;

  /// The state that evaluate() changes.
  void visit_state(StateVisitor& visitor) {
    visitor.visit_numbers("probability_sums", log_summed_);
    visitor.visit("probability_draws", draws_);
  }

 private:
  std::span<const WordCount> document(std::size_t i) const;

  std::vector<WordCount> entries_;
  std::vector<std::size_t> ends_;
  std::vector<double> log_prior_;                     // Dirichlet-multinomial, of every document
  std::vector<double> log_probability_, log_summed_;  // of this draw; of all averaged
  std::vector<std::vector<double>> scores_;           // of each thread
  std::uint64_t draws_ = 0;
};

}  // namespace sgmcmc
