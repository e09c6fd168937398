// Evenly thinned draws of each chain, bounded in number however long the chain becomes.
#pragma once

#include "draws/spooled_draws.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace sgmcmc {

class StateVisitor;

/// Keeps the first draw of a chain and every stride-th after it. The stride is 1 at first; when a chain has reached its
/// maximum, every second draw is dropped and the stride doubles. Draws are stored in unnamed files (see SpooledDraws).
/// Different chains may be written concurrently.
class ThinnedDraws {
 public:
  explicit ThinnedDraws(std::filesystem::path folder = {}) : spool_(std::move(folder)) {}

  void begin(std::vector<std::string> names, std::size_t chains, std::size_t most_draws);  ///< most_draws >= 2
  void write(std::size_t chain, std::span<const double> values, double weight);
  std::uint64_t stride() const;  ///< the largest of all chains
  /// All draws that are kept. Do not write while the view is in use.
  MemoryDraws view();

  void save_state(std::size_t chain, StateVisitor& visitor);
  void restore_state(std::size_t chain, StateVisitor& visitor);  ///< after begin()

 private:
  struct Chain {
    std::uint64_t seen = 0, stride = 1;
    std::vector<double> record;
  };
  std::vector<std::string> names_;
  std::size_t most_draws_ = 0;
  std::vector<Chain> chains_;
  SpooledDraws spool_;
};

}  // namespace sgmcmc
