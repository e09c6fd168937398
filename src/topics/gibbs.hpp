// Assignments of the words of one document to topics: p(topic k) ~ (n_k + alpha) phi_kw, n_k the document's other words
// in topic k; the document's own proportions are integrated out.
#pragma once

#include "base/memory.hpp"
#include "topics/document_store.hpp"
#include "topics/topic_table.hpp"

#include <sgmcmc/random.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace sgmcmc {

using Assignment = std::uint16_t;

/// Scratch memory of one thread, and the current document.
class DocumentGibbs {
 public:
  DocumentGibbs(std::size_t topics, double alpha);

  /// Loads the tokens of a document, without assignments.
  void load(std::span<const WordCount> document);
  std::size_t tokens() const { return words_.size(); }

  /// Assigns tokens in order, each given the previous ones; uses tokens() uniforms.
  void assign(const TopicTable& table, std::span<const double> uniforms);
  /// Loads earlier assignments.
  void assign(std::span<const Assignment> assignments);
  /// Redraws every assignment given the others; uses tokens() uniforms.
  void sweep(const TopicTable& table, std::span<const double> uniforms);

  std::span<const std::uint32_t> words() const { return words_; }
  std::span<const Assignment> assignments() const { return assignments_; }
  /// Tokens of every topic.
  std::span<const float> counts() const { return counts_.span().first(topics_); }

  /// Implements assign() and sweep() with the kernel this file was compiled for.
  template <bool is_assigned>
  void update(const TopicTable& table, std::span<const double> uniforms);

 private:
  std::size_t nearest_possible(std::size_t topic) const;

  std::size_t topics_;
  std::size_t packs_;
  float alpha_;
  AlignedBuffer<float> counts_;   // without alpha, so that they stay exact
  AlignedBuffer<float> running_;  // per pack: sums of the lanes so far
  std::vector<std::uint32_t> words_;
  std::vector<Assignment> assignments_;
};

}  // namespace sgmcmc
