// The chain of latent Dirichlet allocation: Gibbs sampling of the documents of a batch, then one step of a simplex
// kernel on all topics.
#pragma once

#include <sgmcmc/state.hpp>
#include "base/memory.hpp"
#include "base/thread_pool.hpp"
#include "simplex/kernels.hpp"
#include "topics/batch_counts.hpp"
#include "topics/document_choice.hpp"
#include "topics/topic_table.hpp"

#include <sgmcmc/lda.hpp>

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace sgmcmc {

class LdaChain {
 public:
  /// options must be valid; the store, the pool and the ranks must outlive the chain. ranks: those that share the
  /// documents of a batch; null: this process alone.
  LdaChain(const DocumentStore& store, std::uint32_t words, const LdaOptions& options, std::uint32_t held_out,
           ThreadPool& pool, Communicator* ranks = nullptr);

  /// Control variates: searches for topics of high density and counts all documents there. Returns early if
  /// interrupted.
  using Findings = std::map<std::string, std::vector<double>>;
  Findings find_centre();
  /// Restores a saved result instead. Throws FileError if it does not match.
  void set_centre(const Findings& found);

  /// Returns false if the step overflowed; the topics are then unchanged.
  bool iterate(std::uint64_t iteration);

  const TopicTable& table() const { return table_; }
  BatchGibbs& gibbs() { return gibbs_; }
  DocumentChoice& choice() { return choice_; }
  /// Element w * topics + k.
  std::span<const double> log_theta() const { return log_theta_.span(); }
  std::span<const double> log_totals() const { return log_totals_; }
  void set_log_theta(std::span<const double> log_theta);
  std::vector<double> shares() const;  ///< of the topics in the last batch

  /// The state that iterate() changes: a chain with the same options and centre continues from it bit for bit.
  void visit_state(StateVisitor& visitor);

  static std::uint64_t bytes(std::uint64_t words, const LdaOptions& options);

 private:
  void count(std::uint64_t iteration, Purpose purpose);
  void refresh_totals(std::uint64_t iteration);
  void update_table();
  double scale() const;

  LdaOptions options_;
  ThreadPool& pool_;
  SimplexShape shape_;
  DocumentChoice choice_;
  BatchGibbs gibbs_;
  SimplexKernel kernel_;
  TopicTable table_;
  std::vector<TopicTable> centre_table_;  // one, with control variates
  AlignedBuffer<double> log_theta_, pseudo_counts_, centre_counts_;
  AlignedBuffer<std::uint32_t> counts_, other_counts_;
  std::vector<double> log_totals_;
  std::vector<double> restored_shares_;  // of the last batch before the state was saved; empty after the next
  std::vector<std::uint32_t> documents_;
};

}  // namespace sgmcmc
