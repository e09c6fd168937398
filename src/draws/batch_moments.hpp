// Running moments of consecutive batches of draws, for what compares parts of a chain: halves, and batch means.
#pragma once

#include <sgmcmc/draws.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sgmcmc {

/// At most 32 batches of equally many draws each. When one more is needed, neighbours are merged and batches are twice
/// as long from then on: with many draws there are from 16 to 32 batches. How long a chain becomes need not be known.
class BatchMoments {
 public:
  static constexpr std::size_t most_batches = 32;

  explicit BatchMoments(std::size_t columns = 0) : columns_(columns) {}

  void add(std::span<const double> values, double weight = 1.0);

  std::uint64_t draws() const { return draws_; }
  std::uint64_t batch_size() const { return batch_size_; }                 ///< draws
  const std::vector<RunningMoments>& batches() const { return batches_; }  ///< the last may be shorter
  /// Moments of the first and second half of the chain. A batch that belongs to both is left out.
  RunningMoments half(bool second) const;

  void visit_state(StateVisitor& visitor);

 private:
  std::size_t columns_;
  std::uint64_t draws_ = 0, batch_size_ = 1;
  std::vector<RunningMoments> batches_;
};

}  // namespace sgmcmc
