// hamcmc: quasi-Newton Langevin dynamics (Simsekli, Badeau, Cemgil and Richard 2016, algorithm 1).
//
//   theta_t <- theta_{t-M} + epsilon H_t gradient(theta_{t-M}) + sqrt(2 epsilon) S_t z,   S_t S_t' = H_t,
//
// H_t the L-BFGS inverse Hessian of the pairs s = theta_k - theta_{k-M}, y = -[gradient(theta_k) -
// gradient(theta_{k-M})]
// + lambda s of the M - 1 iterations k before t, both gradients on the minibatch of iteration k. None of them contains
// theta_{t-M}, so H_t does not depend on where the step starts and no correction term is needed: with M interleaved
// chains each H_t is a fixed matrix to its step. epsilon is half of what sgld calls step_size, as published.
//
// Deviations: the paper wants 2M + 1 points to start from; here the first M - 1 iterations are steps from the point
// before with H = scale I, and pairs come into use as they are made. scale is s'y / y'y of the newest pair unless
// given. Each iteration evaluates two gradients on one minibatch.
#include "dynamics/dynamics.hpp"
#include "dynamics/inverse_hessian.hpp"
#include "dynamics/kernel.hpp"
#include "dynamics/schedule.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace sgmcmc {

void HamcmcOptions::validate(std::size_t dimension) const {
  step_size.validate(dimension);
  schedule.validate();
  if (step_size.values.size() > 1 && dimension > 1)
    throw OptionError("hamcmc finds the scales of the parameters itself; give it one step_size, not one per parameter");
  if (history < 2 || history > 100)
    throw OptionError("history is " + std::to_string(history) + "; it must be from 2 to 100 (2 to 5 is usual)");
  if (!(regularisation >= 0.0 && std::isfinite(regularisation)))
    throw OptionError("regularisation is " + std::to_string(regularisation) + "; it must be finite and not negative");
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
        next_gradient_(dimension) {}

  std::uint64_t evaluations_per_iteration() const override { return 1; }
  double last_step_size() const override { return steps_.mean(); }

  void initialise(std::span<const double> theta, const ChainKey& key) override {
    Dynamics::initialise(theta, key);
    restart();
  }
  void set_position(std::span<const double> theta) override {
    Dynamics::set_position(theta);
    restart();
  }

  StepStatus step(GradientEstimator& estimator, std::uint64_t iteration) override {
    steps_.set_iteration(iteration);
    const double epsilon = steps_.mean();
    const bool starting = taken_ < history_;  // points taken so far, this one not counted
    const std::span<double> base = point(starting ? taken_ - 1 : taken_ - history_);
    estimator.estimate(base, iteration, gradient_);
    inverse_.prepare();

    std::copy(gradient_.begin(), gradient_.end(), proposal_.begin());
    inverse_.multiply_transposed(proposal_);
    const double noise_scale = std::sqrt(2.0 * epsilon);
    for_noise_blocks(stream(iteration, Purpose::noise), 0, dimension(), key_.single_precision_noise,
                     [&](std::size_t begin, std::size_t count, const auto* noise) {
                       for (std::size_t k = 0; k < count; ++k)
                         proposal_[begin + k] = epsilon * proposal_[begin + k] + noise_scale * noise[k];
                     });
    inverse_.multiply(proposal_);
    std::uint64_t bad = 0;
    for (std::size_t j = 0; j < dimension(); ++j) {
      proposal_[j] += base[j];
      bad |= non_finite_bit(proposal_[j]);
    }
    if (bad) return failed();

    if (!starting) {
      estimator.estimate(proposal_, iteration, next_gradient_);
      if (first_non_finite(next_gradient_) < dimension()) {
        gradient_.swap(next_gradient_);
        return failed();
      }
      // gradient_ becomes y, base becomes s: both are done with.
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
    inverse_.visit_state(visitor);
  }

 private:
  std::span<double> point(std::uint64_t number) {
    return {past_.data() + (number % history_) * dimension(), dimension()};
  }
  void restart() {
    inverse_.clear();
    std::copy(position_.begin(), position_.end(), past_.begin());
    taken_ = 1;
  }
  /// A failed step begins again from the last good draw, with no history.
  StepStatus failed() {
    const StepStatus status = diagnose(proposal_);
    restart();
    return status;
  }

  StepSizes steps_;
  std::uint64_t history_;  // M
  double regularisation_;  // lambda
  InverseHessian inverse_;
  std::vector<double> past_;  // the last M points
  std::vector<double> next_gradient_;
  std::uint64_t taken_ = 1;  // points of this chain so far
};

}  // namespace

std::unique_ptr<Dynamics> make_dynamics(const HamcmcOptions& options, std::size_t dimension) {
  options.validate(dimension);
  return std::make_unique<Hamcmc>(options, dimension);
}

}  // namespace sgmcmc
