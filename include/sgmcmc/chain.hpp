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

/// Shared by the chains of a run: compiled programs and the centre of control variates. Made by sample() and Chain.
class RunSetup;
class RecordedGradients;

/// One chain, step by step: for chains too large to store, or to run other code between steps.
class Chain {
 public:
  explicit Chain(const Model& model, const SampleOptions& options, std::uint32_t chain = 0);
  /// `record`: if set, receives the gradients the chain evaluates.
  Chain(std::shared_ptr<RunSetup> setup, std::uint32_t chain, RecordedGradients* record = nullptr);
  ~Chain();
  Chain(Chain&&) noexcept;

  /// One iteration. Throws DivergenceError naming the parameter, the iteration and what to try. Returns false if
  /// interrupted during a long trajectory; the state is then unchanged.
  bool step();
  /// If SampleOptions::watch_divergence is false: when and how the chain began to diverge; empty if it did not.
  const std::string& warning() const;

  std::uint64_t iteration() const;           ///< completed iterations
  std::span<const double> position() const;  ///< unconstrained
  /// Parameters on the constrained scale, then the test functions: in the order of names().
  std::span<const double> values();
  const std::vector<std::string>& names() const;
  double last_step_size() const;
  double draw_weight() const;  ///< weight of the current position as a draw
  /// The step size that made the current position, on the scale of draw_weight(); smaller than that after the step size
  /// was reduced.
  double draw_step_size() const;
  /// Statistics of the last step of an exact sampler, in the order of statistic_names(); empty for other samplers.
  std::span<const double> statistics() const;
  /// Adds the current position as a draw to zero_variance(). Most samplers evaluate the gradient there in their next
  /// step; the draw is included after that.
  void keep_draw();
  const ZeroVariance& zero_variance() const;
  double log_posterior();  ///< at the current position; one pass over all rows

  void mark(ChainMark& mark);
  /// Continues from that state with `factor` times the step size of the options (sgfs: alpha / sqrt(factor)). Resets
  /// the gradient memory of estimators, and zero_variance(). Draws keep the weights of the full step size.
  void return_to(const ChainMark& mark, double factor);

  /// The complete state of the chain. Another chain of the same model, options and number that restores it continues
  /// bit for bit as this one would. With saga it contains the gradients of all rows.
  std::string save();
  void restore(std::string_view state);     ///< throws FileError if it is not the state of such a chain
  void visit_state(StateVisitor& visitor);  ///< for callers that store it with other state

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sgmcmc
