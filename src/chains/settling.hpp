// Burn-in detection: whether a chain still drifts from its start.
#pragma once

#include <sgmcmc/state.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sgmcmc {

/// Compares the two halves of a window of iterations. If the means of a coordinate differ by more than one standard
/// deviation within the halves, the chain is still in burn-in, and the next window is as long as all iterations before
/// it. A mixing chain needs about a dozen independent draws per half to pass, for any start.
class Settling {
 public:
  /// iterations: of the run after warm-up. The first window has 200 iterations; warm-up has at most max(iterations,
  /// 1000).
  Settling(std::size_t dimension, std::uint64_t iterations);

  /// Call after every iteration, until over().
  void see(std::uint64_t iteration, std::span<const double> position);
  /// Call if the chain diverged and continues from this iteration with other steps: discards earlier observations.
  void restart(std::uint64_t iteration);

  bool over() const { return over_ != 0; }
  bool settled() const { return settled_ != 0; }
  std::uint64_t iterations() const { return end_; }  ///< of warm-up, once it is over

  void visit_state(StateVisitor& visitor);

 private:
  void begin_window(std::uint64_t from, std::uint64_t length);
  bool halves_agree() const;

  std::vector<std::size_t> chosen_;  // coordinates observed, evenly spaced if there are many
  std::uint64_t most_;               // iterations of warm-up
  std::uint64_t begin_ = 0, end_ = 0, stride_ = 1;
  std::uint64_t over_ = 0, settled_ = 0;
  std::vector<double> seen_;  // points x chosen coordinates
};

}  // namespace sgmcmc
