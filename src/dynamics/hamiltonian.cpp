// Leapfrog steps and adaptation.
#include "dynamics/hamiltonian.hpp"

#include "dynamics/kernel.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace sgmcmc {

void validate_hamiltonian(std::string_view sampler, const StepSize& step_size, double target_acceptance) {
  if (step_size.values.size() > 1)
    throw OptionError("step_size has " + std::to_string(step_size.values.size()) + " values; " + std::string(sampler) +
                      " takes one, or none and finds it: its metric adapts to the scales of parameters");
  if (!step_size.values.empty()) step_size.validate(1);
  if (!(target_acceptance > 0.0 && target_acceptance < 1.0))
    throw OptionError("target_acceptance is " + std::to_string(target_acceptance) + "; it must lie between 0 and 1");
}

HamiltonianDynamics::HamiltonianDynamics(const HamiltonianSettings& settings, std::size_t dimension,
                                         std::size_t statistics)
    : Dynamics(dimension),
      statistics_(statistics),
      velocity_(dimension),
      settings_(settings),
      mass_matrix_(settings.metric, dimension),
      averaging_(settings.target_acceptance),
      probe_(dimension),
      step_size_(settings.step_size) {}

void HamiltonianDynamics::initialise(std::span<const double> theta, const ChainKey& key) {
  Dynamics::initialise(theta, key);
  started_ = 0;
}

void HamiltonianDynamics::set_position(std::span<const double> theta) {
  Dynamics::set_position(theta);
  density_known_ = 0;
}

void HamiltonianDynamics::plan_warmup(std::uint64_t iterations) {
  warmup_ = settings_.adapt ? iterations : 0;
  windows_ = mass_matrix_.adapts() ? WarmupWindows(warmup_) : WarmupWindows();
}

StepStatus HamiltonianDynamics::step(GradientEstimator& estimator, std::uint64_t iteration) {
  if (!density_known_) {
    log_density_ = estimator.log_density(position_, gradient_);
    const std::size_t bad = first_non_finite(gradient_);
    if (bad < gradient_.size() || !std::isfinite(log_density_))
      return {StepFailure::gradient_not_finite, bad < gradient_.size() ? bad : 0};
    density_known_ = 1;
  }
  if (!started_) {
    if (step_size_ == 0.0 || warmup_ > 0) find_step_size(estimator, iteration);
    averaging_.restart(step_size_);
    started_ = 1;
  }
  used_step_size_ = step_size_;
  given_up_ = false;
  const double acceptance = transition(estimator, iteration, step_size_);
  if (given_up_) return {StepFailure::interrupted, 0};
  if (iteration >= warmup_) return {};

  step_size_ = averaging_.update(acceptance);
  if (windows_.collects(iteration)) mass_matrix_.collect(position_);
  if (windows_.closes(iteration)) {
    mass_matrix_.update();
    find_step_size(estimator, iteration + 1);
    averaging_.restart(step_size_);
  }
  if (iteration + 1 == warmup_) step_size_ = averaging_.kept();
  return {};
}

void HamiltonianDynamics::leapfrog(GradientEstimator& estimator, PhasePoint& point, double step_size) {
  const std::size_t size = dimension();
  for (std::size_t j = 0; j < size; ++j) point.momentum[j] += 0.5 * step_size * point.gradient[j];
  mass_matrix_.velocity(point.momentum, velocity_);
  for (std::size_t j = 0; j < size; ++j) point.theta[j] += step_size * velocity_[j];
  point.log_density = estimator.log_density(point.theta, point.gradient);
  for (std::size_t j = 0; j < size; ++j) point.momentum[j] += 0.5 * step_size * point.gradient[j];
}

double HamiltonianDynamics::energy(const PhasePoint& point, std::span<double> velocity) const {
  const double value = mass_matrix_.velocity(point.momentum, velocity) - point.log_density;
  return std::isfinite(value) ? value : std::numeric_limits<double>::infinity();
}

void HamiltonianDynamics::start_point(std::uint64_t iteration, PhasePoint& point) {
  point.theta = position_;
  point.gradient = gradient_;
  point.log_density = log_density_;
  mass_matrix_.draw_momentum(stream(iteration, Purpose::momentum), 0, point.momentum);
}

void HamiltonianDynamics::find_step_size(GradientEstimator& estimator, std::uint64_t iteration) {
  if (step_size_ == 0.0) step_size_ = 1.0;
  const StreamKey key = stream(iteration, Purpose::adaptation);
  int direction = 0;
  for (std::uint64_t attempt = 0;; ++attempt) {
    probe_.theta = position_;
    probe_.gradient = gradient_;
    probe_.log_density = log_density_;
    mass_matrix_.draw_momentum(key, noise_offset(attempt, dimension()), probe_.momentum);
    const double before = energy(probe_, velocity_);
    leapfrog(estimator, probe_, step_size_);
    const bool accepts = before - energy(probe_, velocity_) > std::log(0.8);
    if (direction == 0) direction = accepts ? 1 : -1;
    if (accepts != (direction == 1)) return;
    step_size_ *= direction == 1 ? 2.0 : 0.5;
    if (step_size_ > 1e7)
      throw ModelError(
          "the log density does not decrease for step sizes up to 1e7: the posterior is improper, or parameters are of "
          "the order of 1e7 or more. Give every parameter a proper prior, check that the likelihood depends on all of "
          "them, and measure large parameters in larger units");
    if (step_size_ < 1e-300)
      throw ModelError(
          "the energy changes even for tiny steps: the log density or its gradient is not continuous at the starting "
          "point. Check the model for jumps and kinks, or give other initial values");
  }
}

void HamiltonianDynamics::visit_state(StateVisitor& visitor) {
  Dynamics::visit_state(visitor);
  visitor.visit("log_density", log_density_);
  visitor.visit("gradient", gradient_);
  visitor.visit("density_known", density_known_);
  visitor.visit("started", started_);
  visitor.visit("step_size", step_size_);
  visitor.visit("used_step_size", used_step_size_);
  visitor.visit("warmup", warmup_);
  visitor.visit("statistics", statistics_);
  averaging_.visit_state(visitor);
  mass_matrix_.visit_state(visitor);
}

SamplerTraits hamiltonian_traits(std::span<const std::string_view> statistics) {
  return {.exact = true,
          .rows = RowUse::every,
          .marginal = false,
          .independent_draws = false,
          .learns_from_rows = false,
          .in_cycles = true,
          .statistics = statistics,
          .draw_gradient = DrawGradient::at_once(),
          .whitening = WhiteningLimits{.refused = "", .diagonal = ""},
          .whitened_by_default = false,
          .step_biases = false,
          .langevin_law = false,
          .noise_gain = 0.0,
          .trajectory_length = 0,
          .friction = 0.0,
          .tuning = untuned(),
          .words = usual_words()};
}

}  // namespace sgmcmc
