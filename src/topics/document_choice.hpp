// Chooses the held-out documents and the batch of each iteration, from the seed, in constant memory.
#pragma once

#include "base/permutation.hpp"
#include "minibatch/distinct_rows.hpp"

#include <sgmcmc/random.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace sgmcmc {

/// A random order of the documents: the first are held out, the others visited.
class DocumentChoice {
 public:
  DocumentChoice(std::uint32_t documents, std::uint32_t held_out, std::uint32_t batch_size, std::uint64_t seed,
                 std::uint32_t chain)
      : order_(documents, {seed, 0, 0, Purpose::initial}),
        documents_(documents),
        held_out_(held_out),
        batch_(std::min(batch_size, documents - held_out)),
        seed_(seed),
        chain_(chain) {
    if (batch_ < visited()) distinct_.emplace(visited(), batch_);
  }

  std::uint32_t visited() const { return documents_ - held_out_; }
  std::uint32_t held_out() const { return held_out_; }
  std::uint32_t batch_size() const { return batch_; }

  std::uint32_t held_out_document(std::uint32_t i) const { return document_at(i); }
  std::uint32_t visited_document(std::uint32_t i) const { return document_at(held_out_ + i); }

  /// Ascending, for sequential file access.
  void batch(std::uint64_t iteration, std::vector<std::uint32_t>& documents) {
    documents.resize(batch_);
    if (distinct_) {
      distinct_->fill({seed_, chain_, iteration, Purpose::minibatch}, documents);
    } else {
      for (std::uint32_t i = 0; i < batch_; ++i) documents[i] = i;
    }
    for (std::uint32_t& i : documents) i = visited_document(i);
    std::sort(documents.begin(), documents.end());
  }

 private:
  std::uint32_t document_at(std::uint32_t position) const {
    std::uint32_t document = 0;
    order_.fill(position, {&document, 1});
    return document;
  }

  Permutation order_;
  std::uint32_t documents_, held_out_, batch_;
  std::uint64_t seed_;
  std::uint32_t chain_;
  std::optional<DistinctRows> distinct_;
};

}  // namespace sgmcmc
