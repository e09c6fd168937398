// Returns a diverged chain to an earlier state and continues with smaller steps.
//
// Saves the state at regular intervals; a state counts as good after another interval without divergence, because
// divergence shows late. Passes on draws only up to a good state, so that draws made while diverging are never
// recorded.
#pragma once

#include <sgmcmc/state.hpp>

#include <sgmcmc/error.hpp>
#include <sgmcmc/sample.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace sgmcmc {

class Recovery {
 public:
  /// numbers: per draw. Inactive for samplers that cannot diverge, and if recoveries is 0.
  Recovery(const SampleOptions& options, std::size_t numbers, std::uint32_t chain);

  bool active() const { return active_; }
  /// Call before every step; hand_on(values, weight) receives the draws now known to be good.
  template <class HandOn>
  void before_step(Chain& chain, HandOn&& hand_on) {
    if (!active_ || !due(chain.iteration())) return;
    hand_on_until(newer_.iteration, hand_on);
    advance(chain);
  }
  /// Adds the draw of the last iteration.
  void keep(std::uint64_t iteration, std::span<const double> values, double weight, double step_size);
  /// Takes the chain back; after too many failures, throws `error` with a description of the attempts.
  void take_back(Chain& chain, const DivergenceError& error);
  /// Passes on the remaining draws at the end of a run.
  template <class HandOn>
  void hand_on_rest(HandOn&& hand_on) {
    hand_on_until(~std::uint64_t{0}, hand_on);
  }

  const std::vector<StepReduction>& reductions() const { return reductions_; }

  /// The state for a resumed run, including draws held back.
  void visit_state(StateVisitor& visitor);

 private:
  struct Waiting {
    std::uint64_t iteration = 0;
    double weight = 0, step_size = 0;
    std::vector<double> values;
  };

  bool due(std::uint64_t iteration) const { return !started_ || iteration >= newer_.iteration + spacing_; }
  void advance(Chain& chain);

  template <class HandOn>
  void hand_on_until(std::uint64_t iteration, HandOn&& hand_on) {
    std::size_t done = 0;
    for (; done < waiting_ && draws_[done].iteration <= iteration; ++done)
      hand_on(std::span<const double>(draws_[done].values), draws_[done].weight, draws_[done].step_size);
    // Moves the rest to the front by swapping, which keeps memory allocated.
    for (std::size_t k = done; k < waiting_; ++k) std::swap(draws_[k - done], draws_[k]);
    waiting_ -= done;
  }

  static constexpr std::uint32_t most_in_a_row = 5;

  bool active_ = false;
  std::uint64_t started_ = 0;
  std::uint32_t chain_, most_;
  std::uint64_t spacing_ = 1;
  ChainMark older_, newer_;  // known good, and possibly good
  std::uint64_t failed_at_ = 0;
  std::uint64_t in_a_row_ = 0;
  double factor_ = 1.0;
  std::vector<Waiting> draws_;  // only the first waiting_ are used
  std::uint64_t waiting_ = 0;
  std::vector<StepReduction> reductions_;
};

}  // namespace sgmcmc
