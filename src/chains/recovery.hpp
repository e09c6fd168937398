// Taking a chain that diverged back to where it was well, and going on with smaller steps.
//
// The state is kept every so many iterations, and counts as good once as many again have passed without trouble:
// divergence shows late. Draws are handed on when the state behind them is good, so that those made on the way out are
// never seen by anyone.
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
  /// numbers: of one draw. Inactive for samplers that cannot diverge, and where recoveries are not wanted.
  Recovery(const SampleOptions& options, std::size_t numbers, std::uint32_t chain);

  bool active() const { return active_; }
  /// To be called before every step; hand_on(values, weight) takes the draws that are known to be good by now.
  template <class HandOn>
  void before_step(Chain& chain, HandOn&& hand_on) {
    if (!active_ || !due(chain.iteration())) return;
    hand_on_until(newer_.iteration, hand_on);
    advance(chain);
  }
  /// A draw of the iteration just made.
  void keep(std::uint64_t iteration, std::span<const double> values, double weight, double step_size);
  /// Takes the chain back; throws `error`, with what was tried, when that has not helped often enough.
  void take_back(Chain& chain, const DivergenceError& error);
  /// At the end of a run: those that wait.
  template <class HandOn>
  void hand_on_rest(HandOn&& hand_on) {
    hand_on_until(~std::uint64_t{0}, hand_on);
  }

  const std::vector<StepReduction>& reductions() const { return reductions_; }

  /// Everything a resumed run needs, draws that wait included.
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
    // The rest moves to the front; swapped, so that no memory is given back.
    for (std::size_t k = done; k < waiting_; ++k) std::swap(draws_[k - done], draws_[k]);
    waiting_ -= done;
  }

  static constexpr std::uint32_t most_in_a_row = 5;

  bool active_ = false;
  std::uint64_t started_ = 0;
  std::uint32_t chain_, most_;
  std::uint64_t spacing_ = 1;
  ChainMark older_, newer_;  // good, and perhaps good
  std::uint64_t failed_at_ = 0;
  std::uint64_t in_a_row_ = 0;
  double factor_ = 1.0;
  std::vector<Waiting> draws_;  // the first waiting_ of them
  std::uint64_t waiting_ = 0;
  std::vector<StepReduction> reductions_;
};

}  // namespace sgmcmc
