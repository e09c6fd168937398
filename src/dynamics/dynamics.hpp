// The interface of samplers: a position, moved by one call of step() per iteration using gradients from any estimator.
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

class ThreadPool;

/// Identifies a chain: its random numbers depend on these numbers and the iteration only.
struct ChainKey {
  std::uint64_t seed = 0;
  std::uint32_t chain = 0;
  bool single_precision_noise = false;  ///< sufficient if gradients are in single precision
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
  /// 0 for exact samplers, which use a variable number.
  virtual std::uint64_t evaluations_per_iteration() const = 0;

  /// Starts a chain. Throws OptionError if theta is not finite or of the wrong length.
  virtual void initialise(std::span<const double> theta, const ChainKey& key);

  /// Sets the number of warm-up iterations, in which samplers adapt. Call before the first step; default 0.
  virtual void plan_warmup(std::uint64_t /*iterations*/) {}

  /// Samplers with long iterations poll this flag and abandon the iteration.
  virtual void set_interrupt(const std::atomic<bool>* interrupt) { interrupt_ = interrupt; }

  /// Threads that the updates of samplers with very many parameters may use; draws do not depend on them. Null: none.
  virtual void set_pool(ThreadPool* pool) { pool_ = pool; }

  /// One iteration. On failure position() stays at the last good draw, and the next call starts from there.
  virtual StepStatus step(GradientEstimator& estimator, std::uint64_t iteration) = 0;

  std::span<const double> position() const { return position_; }
  /// Called before the position after iteration - 1 is kept as a draw: samplers that do not move all coordinates at
  /// every step draw the others here.
  virtual void fill_in_draw(std::uint64_t /*iteration*/) {}
  /// Sets the position without changing other state: for kernels that update some parameters in other ways.
  virtual void set_position(std::span<const double> theta);

  /// Step size of the last iteration (mean over parameters).
  virtual double last_step_size() const = 0;
  /// Weight of the last draw.
  virtual double draw_weight() const { return last_step_size(); }
  /// The last move in units of its noise, in any basis; empty: positions move by about sqrt(step size) per step.
  virtual std::span<const double> move_beside_noise() const { return {}; }
  /// The coordinate of position() for element `moved` of move_beside_noise().
  virtual std::size_t coordinate_of_move(std::size_t moved) const { return moved; }
  /// Statistics of the last iteration, in the order of statistic_names(options).
  virtual std::span<const double> statistics() const { return {}; }

  /// An unbiased estimate of the gradient at position(), if the last iteration computed one; else empty.
  virtual std::span<const double> gradient_here() const { return {}; }

  /// Everything a resumed chain needs besides options and key.
  virtual void visit_state(StateVisitor& visitor) { visitor.visit("position", position_); }

 protected:
  explicit Dynamics(std::size_t dimension) : position_(dimension), proposal_(dimension), gradient_(dimension) {}

  ThreadPool* pool() const { return pool_; }
  const std::atomic<bool>* interrupt() const { return interrupt_; }
  bool interrupted() const { return interrupt_ && interrupt_->load(std::memory_order_relaxed); }
  StreamKey stream(std::uint64_t iteration, Purpose purpose) const {
    return {key_.seed, key_.chain, iteration, purpose};
  }
  /// Finds the cause of a failed step: a non-finite gradient if there is one, else the first non-finite element of the
  /// proposal, or the largest element if all overflowed together.
  StepStatus diagnose(std::span<const double> moved) const;
  StepStatus accept_proposal() {
    position_.swap(proposal_);
    return {};
  }

  std::vector<double> position_;
  std::vector<double> proposal_;  // output of a step, so that a failure leaves position_ intact
  std::vector<double> gradient_;
  ChainKey key_;

 private:
  const std::atomic<bool>* interrupt_ = nullptr;
  ThreadPool* pool_ = nullptr;
};

/// Builds the sampler that the options name. Throws OptionError if they are invalid.
std::unique_ptr<Dynamics> make_dynamics(const SamplerOptions& options, std::size_t dimension);

}  // namespace sgmcmc
