// Probabilities of words in topics, laid out for Gibbs sampling: the topics of a word side by side, in single
// precision.
#pragma once

#include "base/memory.hpp"
#include "base/thread_pool.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace sgmcmc {

/// Each row is scaled by the word's largest probability, which does not affect the choice of topic, so that words rare
/// in every topic do not underflow.
class TopicTable {
 public:
  static constexpr std::size_t lanes = 16;

  TopicTable(std::size_t words, std::size_t topics);

  /// From log(theta), element w * topics + k, and log(sum over words) of every topic.
  void set(std::span<const double> log_theta, std::span<const double> log_totals, ThreadPool& pool);
  /// From probabilities, topic after topic.
  void set_probabilities(std::span<const float> phi);

  /// The topics of one word: the bytes of row() in another table.
  void set_row(std::size_t word, std::string_view bytes);

  TopicTable copy() const;

  std::size_t words() const { return log_scale_.size(); }
  std::size_t topics() const { return topics_; }
  std::size_t stride() const { return stride_; }  ///< topics, padded with zeros to whole packs
  const float* row(std::size_t word) const { return rows_.data() + word * stride_; }
  double log_scale(std::size_t word) const { return log_scale_[word]; }
  static std::uint64_t bytes(std::uint64_t words, std::uint64_t topics);

 private:
  std::size_t topics_, stride_;
  AlignedBuffer<float> rows_;
  std::vector<double> log_scale_;
};

}  // namespace sgmcmc
