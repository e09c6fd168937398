// One chain, step by step.
#pragma once

#include <sgmcmc/sample_options.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sgmcmc {

/// A state that a chain can return to, without the memory of its gradient estimator.
struct ChainMark {
  std::uint64_t iteration = 0;
  std::vector<double> numbers;
};

/// What chains of one run share: compiled programs and the centre of control variates. Made by sample() and Chain.
class RunSetup;
class RecordedGradients;

/// One chain, step by step: for chains too large to store, or to do something of one's own between steps.
class Chain {
 public:
  explicit Chain(const Model& model, const SampleOptions& options, std::uint32_t chain = 0);
  /// record: where the gradients it takes go, of those who want them.
  Chain(std::shared_ptr<RunSetup> setup, std::uint32_t chain, RecordedGradients* record = nullptr);
  ~Chain();
  Chain(Chain&&) noexcept;

  /// One iteration. Throws DivergenceError naming the parameter, the iteration and what to try. False where it was
  /// interrupted: long trajectories are then given up, and the chain is as it was before.
  bool step();
  /// Where SampleOptions::watch_divergence is false: when the chain began to run away, and how; empty: it did not.
  const std::string& warning() const;

  std::uint64_t iteration() const;           ///< steps done
  std::span<const double> position() const;  ///< unconstrained
  /// Parameters on the constrained scale, then the test functions: in the order of names().
  std::span<const double> values();
  const std::vector<std::string>& names() const;
  double last_step_size() const;
  double draw_weight() const;  ///< of the present position as a draw
  /// The step size that made it, as draw_weight() has it: less than that after steps were made smaller.
  double draw_step_size() const;
  /// What an exact sampler recorded in the last step, in the order of statistic_names(); empty for the others.
  std::span<const double> statistics() const;
  /// Takes the present position as a draw into zero_variance(). Most samplers take the gradient there in their next
  /// step: the draw counts from then on.
  void keep_draw();
  const ZeroVariance& zero_variance() const;
  double log_posterior();  ///< at the present position; one pass over all rows

  void mark(ChainMark& mark);
  /// Goes on from there with `factor` times the step size of the options (sgfs: alpha / sqrt(factor)). Estimators that
  /// remember gradients begin anew, and so does zero_variance(). Draws weigh as they would with the whole step.
  void return_to(const ChainMark& mark, double factor);

  /// Everything that makes the chain what it is at this iteration. Another chain of the same model, options and number
  /// that restores it goes on bit for bit as this one would. With saga it is as large as all rows' gradients.
  std::string save();
  void restore(std::string_view state);     ///< throws FileError where it is not the state of such a chain
  void visit_state(StateVisitor& visitor);  ///< the same, for whoever keeps more beside it

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sgmcmc
