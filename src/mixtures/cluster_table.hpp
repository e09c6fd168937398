// Word probabilities of clusters: unnormalised logs that a simplex kernel moves, and log probabilities, with the
// clusters of a word contiguous so that a document is scored against all clusters at once.
#pragma once

#include <sgmcmc/state.hpp>
#include "base/thread_pool.hpp"
#include "simplex/kernels.hpp"
#include "topics/document_store.hpp"

#include <sgmcmc/random.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace sgmcmc {

class ClusterTable {
 public:
  ClusterTable(SimplexMethod method, std::size_t words, double beta)
      : method_(method), words_(words), beta_(beta), prior_(words, beta), column_(words) {}

  std::size_t size() const { return size_; }
  std::size_t words() const { return words_; }

  void add(std::span<const double> log_theta);  ///< one number per word
  /// Draws theta ~ Gamma(beta); `which` is its index in this stream.
  void add_from_prior(const StreamKey& key, std::uint64_t which);
  void swap(std::size_t j);  ///< cluster j with cluster j + 1
  void shorten(std::size_t size) { size_ = std::min(size_, size); }

  double log_theta(std::size_t cluster, std::size_t word) const { return log_theta_[word * stride_ + cluster]; }
  double log_probability(std::size_t cluster, std::size_t word) const { return log_phi_[word * stride_ + cluster]; }

  /// Log probability of a document, as a sequence of words, in every cluster: size() numbers.
  void score(std::span<const WordCount> document, std::span<double> scores) const;

  /// Counts of words in clusters, in the batch, to be scaled to all documents.
  void clear_counts();
  void count(std::span<const WordCount> document, std::size_t cluster, double scale);
  /// One step of the kernel on every cluster: target Dirichlet(beta + counts). scir first redraws the sums of theta,
  /// from `totals`, because their distribution depends on the changed counts. Returns false if the step overflowed;
  /// nothing has then moved.
  bool step(double step_size, const StreamKey& totals, const StreamKey& noise, ThreadPool& pool);

  /// Raises every probability to a power: for tests that plant an error; normalise() undoes it.
  void temper(double power);
  void normalise(ThreadPool& pool);

  void visit_state(StateVisitor& visitor);  ///< all of it

 private:
  void make_room(std::size_t size);
  SimplexKernel& kernel();

  SimplexMethod method_;
  std::size_t words_;
  double beta_;
  std::size_t size_ = 0, stride_ = 0;  // clusters; room for them
  std::vector<double> log_theta_, log_phi_, pseudo_counts_, moved_;
  std::vector<double> prior_, column_, log_totals_, shapes_, drawn_;
  std::unique_ptr<SimplexKernel> kernel_;
};

}  // namespace sgmcmc
