// hamcmc: quasi-Newton Langevin dynamics (Simsekli, Badeau, Cemgil and Richard 2016, algorithm 1).
//
//   theta_t <- theta_{t-M} + epsilon H_t gradient(theta_{t-M}) + sqrt(2 epsilon) S_t z,   S_t S_t' = H_t,
//
// H_t the L-BFGS inverse Hessian of the pairs s = theta_k - theta_{k-M}, y = -[gradient(theta_k) -
// gradient(theta_{k-M})]
// + lambda s of the M - 1 iterations k before t, both gradients on the minibatch of iteration k. None of them contains
// theta_{t-M}, so H_t does not depend on the start of the step, and no correction term is needed: with M interleaved
// chains, each H_t is a constant matrix for its step. epsilon is half the step_size of sgld, as published.
//
// Deviations: the paper starts from 2M + 1 points; here the first M - 1 iterations start from the previous point with H
// = scale I, scale from the stiffest direction found by probing, and pairs are used as they arise. Later, unless given,
// scale is the inverse of a running mean of y'y / s'y over pairs of the other chains: s'y / y'y of the newest pair is
// occasionally so large that the stiffest direction diverges. Each iteration evaluates two gradients on one minibatch.
//
// With pairs = stiffest, our addition: s is not the move but a short displacement along one of the M - 1 directions in
// which the gradient changes most, learnt during the first iterations (warm-up, or 100 (M - 1)) (StiffDirections).
// Moves have small components in directions in which the posterior is narrow, so pairs of moves lose those directions.
// y is taken at theta_{k-M} on the minibatch of iteration k: H_t is still a constant matrix for its step.
#include "dynamics/dynamics.hpp"
#include "dynamics/inverse_hessian.hpp"
#include "dynamics/kernel.hpp"
#include "dynamics/schedule.hpp"
#include "dynamics/stiff_directions.hpp"
#include "dynamics/traits.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

namespace sgmcmc {

void HamcmcOptions::validate(std::size_t dimension) const {
  step_size.validate(dimension);
  schedule.validate();
  if (step_size.values.size() > 1 && dimension > 1)
    throw OptionError("hamcmc adapts to the scales of the parameters; give one step_size, not one per parameter");
  if (history < 2 || history > 100)
    throw OptionError("history is " + std::to_string(history) + "; it must be from 2 to 100 (2 to 5 is usual)");
  if (!(regularisation >= 0.0 && std::isfinite(regularisation)))
    throw OptionError("regularisation is " + std::to_string(regularisation) + "; it must be finite and not negative");
  if (pairs == HamcmcPairs::stiffest && regularisation != 0.0)
    throw OptionError("regularisation is for pairs of moves; leave it at 0 with pairs = stiffest");
  if (!(initial_scale >= 0.0 && std::isfinite(initial_scale)))
    throw OptionError("initial_scale is " + std::to_string(initial_scale) + "; it must be finite and not negative");
}

namespace {

class Hamcmc final : public Dynamics {
 public:
  Hamcmc(const HamcmcOptions& options, std::size_t dimension)
      : Dynamics(dimension),
        steps_(options.step_size, options.schedule, dimension),
        history_(options.history),
        regularisation_(options.regularisation),
        inverse_(dimension, options.history - 1, options.initial_scale),
        past_(dimension * options.history),
        drift_(dimension),
        next_gradient_(dimension) {
    if (options.pairs == HamcmcPairs::stiffest) {
      stiff_.emplace(dimension, options.history - 1, options.initial_scale);
      stiff_->learn_for(least_learning());
      probe_.resize(dimension);
    }
  }

  std::uint64_t evaluations_per_iteration() const override { return 1; }
  double last_step_size() const override { return steps_.mean(); }
  std::span<const double> move_beside_noise() const override { return drift_; }

  void initialise(std::span<const double> theta, const ChainKey& key) override {
    Dynamics::initialise(theta, key);
    restart();
  }
  void plan_warmup(std::uint64_t iterations) override {
    if (stiff_) stiff_->learn_for(std::max(iterations, least_learning()));
  }
  void set_position(std::span<const double> theta) override {
    Dynamics::set_position(theta);
    restart();
  }

  StepStatus step(GradientEstimator& estimator, std::uint64_t iteration) override {
    steps_.set_iteration(iteration);
    const double epsilon = steps_.mean();
    const bool starting = taken_ < history_;  // points so far, without this one
    const std::span<double> base = point(starting ? taken_ - 1 : taken_ - history_);
    estimator.estimate(base, iteration, gradient_);
    if (taken_ == 1) look_for_scale(estimator, iteration);
    if (!stiff_) inverse_.prepare();

    drift_ = gradient_;
    fill_normal(stream(iteration, Purpose::noise), proposal_);
    if (stiff_) {
      stiff_->apply(drift_);
      stiff_->multiply(proposal_);
    } else {
      inverse_.apply(drift_);
      inverse_.multiply(proposal_);
    }
    const double noise_scale = std::sqrt(2.0 * epsilon);
    double whitened = 0.0, largest = 0.0;  // gradient' H gradient
    std::uint64_t bad = 0;
    for (std::size_t j = 0; j < dimension(); ++j) {
      const double move = epsilon * drift_[j] + noise_scale * proposal_[j];
      whitened += gradient_[j] * drift_[j];
      largest = std::max(largest, std::abs(move));
      drift_[j] = move;
      proposal_[j] = base[j] + move;
      bad |= non_finite_bit(proposal_[j]);
    }
    // In units of the noise, the size of the move is known for all coordinates together, and its sign for each.
    const double size = std::sqrt(1.0 + 0.5 * epsilon * whitened / static_cast<double>(dimension()));
    for (double& move : drift_) move = std::copysign(size * (1.0 + 1e-3 * std::abs(move) / largest), move);
    if (bad) return failed();

    if (stiff_) {
      const double reach = stiff_->reach();
      for (std::size_t j = 0; j < dimension(); ++j) probe_[j] = base[j] + reach * stiff_->direction()[j];
      estimator.estimate_again(probe_, iteration, next_gradient_);
      for (std::size_t j = 0; j < dimension(); ++j) next_gradient_[j] = (gradient_[j] - next_gradient_[j]) / reach;
      stiff_->add(next_gradient_);
    } else if (!starting) {
      estimator.estimate_again(proposal_, iteration, next_gradient_);
      if (first_non_finite(next_gradient_) < dimension()) {
        gradient_.swap(next_gradient_);
        return failed();
      }
      // gradient_ becomes y, base becomes s: neither is needed any more.
      for (std::size_t j = 0; j < dimension(); ++j) {
        const double move = proposal_[j] - base[j];
        gradient_[j] += regularisation_ * move - next_gradient_[j];
        base[j] = move;
      }
      inverse_.add(base, gradient_);
    }
    std::copy(proposal_.begin(), proposal_.end(), point(taken_).begin());
    ++taken_;
    return accept_proposal();
  }

  void visit_state(StateVisitor& visitor) override {
    Dynamics::visit_state(visitor);
    visitor.visit("past", past_);
    visitor.visit("taken", taken_);
    stiff_ ? stiff_->visit_state(visitor) : inverse_.visit_state(visitor);
  }

 private:
  /// The largest curvature, by a few steps of the power method on differences of gradients: without pairs, its inverse
  /// is a scale at which no direction overshoots.
  void look_for_scale(GradientEstimator& estimator, std::uint64_t iteration) {
    const auto length = [](const std::vector<double>& v) {
      double square = 0.0;
      for (const double x : v) square += x * x;
      return std::sqrt(square);
    };
    fill_normal(stream(iteration, Purpose::momentum), drift_);
    const double slope = length(gradient_), size = length(drift_);
    for (std::size_t j = 0; j < dimension(); ++j)
      drift_[j] = drift_[j] / size + (slope > 0.0 ? gradient_[j] / slope : 0.0);
    double stiffness = 0.0;
    for (int probe = 0; probe < 4; ++probe) {
      const double shift = 1e-4 * (1.0 + length(position_)) / length(drift_);
      for (std::size_t j = 0; j < dimension(); ++j) proposal_[j] = position_[j] + shift * drift_[j];
      estimator.estimate_again(proposal_, iteration, next_gradient_);
      const double before = shift * length(drift_);
      for (std::size_t j = 0; j < dimension(); ++j) drift_[j] = next_gradient_[j] - gradient_[j];
      const double found = length(drift_) / before;
      if (!std::isfinite(found) || found == 0.0) break;
      stiffness = std::max(stiffness, found);
    }
    const double scale = stiffness > 0.0 ? 1.0 / stiffness : 1.0;
    if (stiff_)
      stiff_->start(stream(iteration, Purpose::adaptation), scale);
    else
      inverse_.set_first_scale(scale);
  }
  std::uint64_t least_learning() const { return 100 * (history_ - 1); }
  std::span<double> point(std::uint64_t number) {
    return {past_.data() + (number % history_) * dimension(), dimension()};
  }
  void restart() {
    inverse_.clear();
    std::copy(position_.begin(), position_.end(), past_.begin());
    taken_ = 1;
  }
  /// After a failed step, restarts from the last good draw without history.
  StepStatus failed() {
    const StepStatus status = diagnose(proposal_);
    restart();
    return status;
  }

  StepSizes steps_;
  std::uint64_t history_;  // M
  double regularisation_;  // lambda
  InverseHessian inverse_;
  std::optional<StiffDirections> stiff_;  // replaces it with pairs = stiffest
  std::vector<double> probe_;
  std::vector<double> past_;   // the last M points
  std::vector<double> drift_;  // H gradient; then the move in units of the noise
  std::vector<double> next_gradient_;
  std::uint64_t taken_ = 1;  // points of this chain so far
};

constexpr double hamcmc_steps[] = {0.5, 0.25, 0.12, 0.06, 0.03, 0.01};
}  // namespace

SamplerTraits HamcmcOptions::traits() const {
  return {.exact = false,
          .rows = RowUse::minibatches,
          .marginal = false,
          .independent_draws = false,
          .learns_from_rows = false,
          .in_cycles = false,
          .statistics = no_statistics,
          .draw_gradient = DrawGradient::after(history),
          .whitening = WhiteningLimits{.refused = "", .diagonal = ""},
          .whitened_by_default = false,
          .step_biases = true,
          .langevin_law = false,
          .noise_gain = std::nan(""),
          .trajectory_length = 0,
          .friction = 0.0,
          .tuning =
              TuningGrid{
                  .steps = hamcmc_steps, .whitened_steps = no_steps, .unit = posterior_unit, .variants = no_variants},
          .words = usual_words()};
}

std::unique_ptr<Dynamics> HamcmcOptions::make(std::size_t dimension) const {
  validate(dimension);
  return std::make_unique<Hamcmc>(*this, dimension);
}

}  // namespace sgmcmc
