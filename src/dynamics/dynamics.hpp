// What a sampler is: a position, moved by one call of step() per iteration using gradients from any estimator.
#pragma once

#include <sgmcmc/state.hpp>
#include "gradient/estimator.hpp"

#include <sgmcmc/dynamics.hpp>
#include <sgmcmc/random.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace sgmcmc {

/// Which chain this is: all its randomness follows from these numbers and the iteration.
struct ChainKey {
  std::uint64_t seed = 0;
  std::uint32_t chain = 0;
  bool single_precision_noise = false;  ///< as good as the gradient when that is computed in single precision
};

enum class StepFailure : std::uint8_t { none, gradient_not_finite, position_not_finite, interrupted };

/// Outcome of a step. Numerical failure is not an exception: the runner counts it and decides.
struct StepStatus {
  StepFailure failure = StepFailure::none;
  std::size_t coordinate = 0;  ///< the first offending element of the parameter vector

  bool ok() const { return failure == StepFailure::none; }
};

/// A Markov kernel driven by gradients. After initialise(), step() is called with iteration = 0, 1, 2, ...; a step
/// allocates nothing, and its result depends on the state, (seed, chain, iteration) and the estimator only.
class Dynamics {
 public:
  virtual ~Dynamics() = default;

  std::size_t dimension() const { return position_.size(); }

  /// Gradients one iteration may use: evaluation k of iteration i is numbered i * evaluations_per_iteration() + k.
  /// 0 for exact samplers, which use as many as it takes.
  virtual std::uint64_t evaluations_per_iteration() const = 0;

  /// Starts a chain. Throws OptionError when theta is not finite or of the wrong length.
  virtual void initialise(std::span<const double> theta, const ChainKey& key);

  /// How many iterations are warm-up: samplers that adapt do so in them. Before the first step; none unless told.
  virtual void plan_warmup(std::uint64_t /*iterations*/) {}

  /// Samplers whose iterations may take long look at this now and then, and give the iteration up.
  virtual void set_interrupt(const std::atomic<bool>* interrupt) { interrupt_ = interrupt; }

  /// One iteration. On failure position() stays at the last good draw, and the next call starts from there.
  virtual StepStatus step(GradientEstimator& estimator, std::uint64_t iteration) = 0;

  std::span<const double> position() const { return position_; }
  /// Called before the position after iteration - 1 is kept as a draw: samplers that do not move all coordinates at
  /// every step draw the rest now.
  virtual void fill_in_draw(std::uint64_t /*iteration*/) {}
  /// Moves the chain, leaving the rest of its state alone: for kernels that update some parameters in other ways.
  virtual void set_position(std::span<const double> theta);

  /// Step size of the last iteration (mean over parameters).
  virtual double last_step_size() const = 0;
  /// Weight of the draw that the last iteration gave.
  virtual double draw_weight() const { return last_step_size(); }
  /// The last move in units of the noise that came with it, coordinate by coordinate or in any other basis; empty:
  /// positions move by about sqrt(step size) a step.
  virtual std::span<const double> move_beside_noise() const { return {}; }
  /// The coordinate of position() that element `moved` of move_beside_noise() stands for.
  virtual std::size_t coordinate_of_move(std::size_t moved) const { return moved; }
  /// Of the last iteration, in the order of statistic_names(options).
  virtual std::span<const double> statistics() const { return {}; }

  /// An unbiased estimate of the gradient at position(), where the last iteration left one; else empty.
  virtual std::span<const double> gradient_here() const { return {}; }

  /// Everything a resumed chain needs besides options and key.
  virtual void visit_state(StateVisitor& visitor) { visitor.visit("position", position_); }

 protected:
  explicit Dynamics(std::size_t dimension) : position_(dimension), proposal_(dimension), gradient_(dimension) {}

  const std::atomic<bool>* interrupt() const { return interrupt_; }
  bool interrupted() const { return interrupt_ && interrupt_->load(std::memory_order_relaxed); }
  StreamKey stream(std::uint64_t iteration, Purpose purpose) const {
    return {key_.seed, key_.chain, iteration, purpose};
  }
  /// Names the culprit of a failed step: a bad gradient if there is one, else the first bad element of what was moved
  /// by it, or the largest when an overflow came of them all.
  StepStatus diagnose(std::span<const double> moved) const;
  StepStatus accept_proposal() {
    position_.swap(proposal_);
    return {};
  }

  std::vector<double> position_;
  std::vector<double> proposal_;  // where a step writes, so that a failure leaves position_ intact
  std::vector<double> gradient_;
  ChainKey key_;

 private:
  const std::atomic<bool>* interrupt_ = nullptr;
};

/// Builds the sampler that the options name. Throws OptionError when they do not fit.
std::unique_ptr<Dynamics> make_dynamics(const SamplerOptions& options, std::size_t dimension);

}  // namespace sgmcmc
