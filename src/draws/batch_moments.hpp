// Running moments of consecutive batches of draws, for diagnostics that compare parts of a chain (halves, batch means).
#pragma once

#include <sgmcmc/draws.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sgmcmc {

/// At most 32 batches of equal length. When one more is needed, neighbours are merged and batches become twice as long,
/// so a long chain has 16 to 32 batches. The length of the chain need not be known in advance.
class BatchMoments {
 public:
  static constexpr std::size_t most_batches = 32;

  explicit BatchMoments(std::size_t columns = 0) : columns_(columns) {}

  void add(std::span<const double> values, double weight = 1.0);

  std::uint64_t draws() const { return draws_; }
  std::uint64_t batch_size() const { return batch_size_; }                 ///< draws
  const std::vector<RunningMoments>& batches() const { return batches_; }  ///< the last may be shorter
  /// Moments of the first or second half of the chain. Leaves out a batch that spans both halves.
  RunningMoments half(bool second) const;

  void visit_state(StateVisitor& visitor);

 private:
  std::size_t columns_;
  std::uint64_t draws_ = 0, batch_size_ = 1;
  std::vector<RunningMoments> batches_;
};

}  // namespace sgmcmc
