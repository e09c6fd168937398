// Gibbs sampling of the documents of a batch, on all threads, and the resulting counts of words in topics.
#pragma once

#include <sgmcmc/state.hpp>
#include "base/memory.hpp"
#include "base/thread_pool.hpp"
#include "ranks/communicator.hpp"
#include "topics/document_store.hpp"
#include "topics/gibbs.hpp"
#include "topics/topic_table.hpp"

#include <sgmcmc/random.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sgmcmc {

struct SweepPlan {
  std::uint32_t burn_in = 0;  ///< discarded sweeps after the first assignment
  std::uint32_t sweeps = 1;   ///< counted sweeps
};

class BatchGibbs {
 public:
  BatchGibbs(const DocumentStore& store, std::size_t topics, double alpha, ThreadPool& pool);
  ~BatchGibbs();  ///< the ranks of share_with() are done
  BatchGibbs(const BatchGibbs&) = delete;
  BatchGibbs& operator=(const BatchGibbs&) = delete;

  /// On rank 0: from now on the documents of a batch are shared with the others, which call serve_documents().
  void share_with(Communicator& ranks, double alpha);
  /// On other ranks: the reply to a batch of rank 0.
  std::string count_for_rank_zero(std::string_view bytes);

  /// Stores the assignments of every document, which are drawn at its first visit.
  void keep_assignments();
  /// Assignments of a document: all no_topic before its first visit.
  std::span<Assignment> kept(std::uint32_t document);
  static constexpr Assignment no_topic = 0xffff;

  /// Runs the plan on every document and adds, for each token and each counted sweep, one to counts[word * topics +
  /// topic]. With a second table the same documents are also run on that one, with the same random numbers, into
  /// `other_counts`. The result depends on the key, not on threads.
  void run(std::span<const std::uint32_t> documents, const SweepPlan& plan, const TopicTable& table,
           std::span<std::uint32_t> counts, const StreamKey& key, const TopicTable* other_table = nullptr,
           std::span<std::uint32_t> other_counts = {});

  std::uint64_t token_updates() const { return token_updates_; }
  std::uint64_t batch_tokens() const { return batch_tokens_; }  ///< of the last run
  double seconds() const { return seconds_; }                   ///< in run(), without reading documents
  /// Continues counting from these values.
  void set_work(std::uint64_t token_updates, double seconds) { token_updates_ = token_updates, seconds_ = seconds; }
  void visit_state(StateVisitor& visitor);

 private:
  struct Worker {
    DocumentGibbs gibbs;
    std::vector<double> uniforms;
  };
  /// The arguments of run().
  struct Job {
    std::span<const std::uint32_t> documents;
    SweepPlan plan;
    StreamKey key;
    const TopicTable* table = nullptr;
    std::span<std::uint32_t> counts;
    const TopicTable* other_table = nullptr;
    std::span<std::uint32_t> other_counts;
  };
  void run_slots(std::size_t begin, std::size_t end, const Job& job);
  std::size_t first_slot_of(int rank) const;
  std::vector<std::uint32_t> send_documents(int rank, const Job& job);  ///< returns the words in them
  void receive_counts(int rank, const Job& job, const std::vector<std::uint32_t>& words);
  void read(std::span<const std::uint32_t> documents);
  void run_document(Worker& worker, std::size_t slot, std::uint32_t document, const SweepPlan& plan,
                    const TopicTable& table, std::span<std::uint32_t> counts, const StreamKey& key);

  const DocumentStore& store_;
  std::size_t topics_;
  ThreadPool& pool_;
  Communicator* ranks_ = nullptr;
  std::vector<Worker> workers_;
  std::vector<std::vector<WordCount>> buffers_;        // of the batch, if documents come from a file
  std::vector<std::span<const WordCount>> documents_;  // of the batch
  std::vector<std::uint64_t> first_token_;             // of each document of the batch, and the end
  std::vector<Assignment> kept_;
  std::vector<std::uint64_t> kept_begin_;
  std::uint64_t token_updates_ = 0, batch_tokens_ = 0;
  double seconds_ = 0;
};

}  // namespace sgmcmc
