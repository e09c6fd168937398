// The chain of a Dirichlet process mixture of documents: a slice sampler that visits a batch of documents in each
// iteration. The stages are public, so that tests can plant errors between them.
#pragma once

#include "base/thread_pool.hpp"
#include "mixtures/cluster_table.hpp"
#include "mixtures/sticks.hpp"
#include "topics/document_choice.hpp"
#include "topics/document_store.hpp"

#include <sgmcmc/dpmix.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace sgmcmc {

class DpmixChain {
 public:
  static constexpr std::uint32_t no_cluster = 0xffffffff;

  /// options must be valid and include step sizes; the store and the pool must outlive the chain.
  DpmixChain(const DocumentStore& store, std::uint32_t words, const DpmixOptions& options, std::uint32_t held_out,
             ThreadPool& pool);

  /// Runs all stages. Returns false if a step overflowed and was skipped.
  bool iterate(std::uint64_t iteration);

  void choose_batch(std::uint64_t iteration);
  void draw_slices(std::uint64_t iteration);  ///< of the batch, given weights and assignments
  void extend(std::uint64_t iteration);       ///< adds clusters from the prior until every slice is covered
  void assign(std::uint64_t iteration);       ///< assigns the batch given slices and clusters, then drops the tail
  void relabel(std::uint64_t iteration);      ///< swaps neighbouring clusters, mostly moving large ones to the front
  bool move_sticks(std::uint64_t iteration);
  bool move_clusters(std::uint64_t iteration);
  void draw_concentration(std::uint64_t iteration);

  const Sticks& sticks() const { return sticks_; }
  const ClusterTable& table() const { return table_; }
  ClusterTable& table() { return table_; }
  DocumentChoice& choice() { return choice_; }
  double concentration() const { return concentration_; }
  void set_concentration(double concentration) { concentration_ = concentration; }
  std::span<double> log_slices() { return log_slices_; }
  std::uint32_t assignment(std::uint32_t document) const {
    return assignments_[document] == no_cluster ? no_cluster : place_of_[assignments_[document]];
  }
  std::uint32_t documents_in(std::size_t cluster) const { return sizes_[cluster]; }
  std::uint32_t occupied() const;  ///< clusters with documents
  std::uint64_t truncated() const { return truncated_; }
  /// Swaps clusters j and j + 1 with their sticks and documents.
  void swap(std::size_t j);

  /// An explicit initial state: pairs of log(taken), log(left) of every stick, the clusters, and the cluster of every
  /// document.
  struct State {
    double concentration = 1;
    std::vector<double> log_sticks;  ///< 2 j: taken, 2 j + 1: left
    std::vector<double> log_theta;   ///< j * words + w
    std::vector<std::uint32_t> assignments;
  };
  State state() const;
  void set_state(const State& state);

  /// The state that iterate() changes, including names and allocation of clusters: a chain with the same options
  /// continues from it bit for bit.
  void visit_state(StateVisitor& visitor);

 private:
  // Streams of one iteration; each serves one kind of number.
  enum Part : std::uint64_t {
    swaps,
    swap_sticks,
    swap_clusters,
    uniforms,
    tail_sticks,
    tail_clusters,
    stick_totals,
    stick_noise,
    totals,
    noise,
    concentrations,
    parts
  };
  StreamKey key(std::uint64_t iteration, Part part) const;
  double scale() const;
  void add_from_prior(std::uint64_t iteration, Part sticks, Part clusters, std::uint64_t which);
  void add_name();
  void forget_tail();

  DpmixOptions options_;
  const DocumentStore& store_;
  ThreadPool& pool_;
  DocumentChoice choice_;
  Sticks sticks_;
  ClusterTable table_;
  double concentration_ = 1;
  // Clusters change positions; documents refer to clusters by names, which are reused once free.
  std::vector<std::uint32_t> assignments_;  // names, of every document of the store
  std::vector<std::uint32_t> place_of_, name_at_, unused_;
  std::vector<std::uint32_t> sizes_;  // documents of every cluster
  std::uint64_t truncated_ = 0;

  std::vector<std::uint32_t> batch_;
  std::vector<std::vector<WordCount>> buffers_;  // of the batch, if documents come from a file
  std::vector<std::span<const WordCount>> documents_;
  std::vector<double> uniforms_, log_slices_, counts_, swap_uniforms_;
  std::vector<std::vector<double>> scores_;  // of each thread
  std::vector<std::uint32_t> chosen_;
};

}  // namespace sgmcmc
