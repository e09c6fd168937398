// Burn-in: whether a chain still moves away from where it started.
#pragma once

#include <sgmcmc/state.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sgmcmc {

/// Compares the two halves of a window of iterations. Where a coordinate's means differ by more than one standard
/// deviation within the halves, the chain has not settled, and the next window is as long as all iterations before it.
/// A chain that mixes needs about a dozen independent draws in each half to pass, however far away it started.
class Settling {
 public:
  /// iterations: of the run after warm-up. The first window has 200; warm-up has at most as many as the run, or 1000.
  Settling(std::size_t dimension, std::uint64_t iterations);

  /// After every iteration, until over().
  void see(std::uint64_t iteration, std::span<const double> position);
  /// The chain diverged and goes on from this iteration with other steps: what was seen means nothing.
  void restart(std::uint64_t iteration);

  bool over() const { return over_ != 0; }
  bool settled() const { return settled_ != 0; }
  std::uint64_t iterations() const { return end_; }  ///< of warm-up, once it is over

  void visit_state(StateVisitor& visitor);

 private:
  void begin_window(std::uint64_t from, std::uint64_t length);
  bool halves_agree() const;

  std::vector<std::size_t> chosen_;  // coordinates, evenly where there are many
  std::uint64_t most_;               // iterations of warm-up
  std::uint64_t begin_ = 0, end_ = 0, stride_ = 1;
  std::uint64_t over_ = 0, settled_ = 0;
  std::vector<double> seen_;  // points x chosen coordinates
};

}  // namespace sgmcmc
