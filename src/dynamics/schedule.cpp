// Schedules and the step sizes they produce.
#include "dynamics/schedule.hpp"

#include <sgmcmc/error.hpp>

#include <cmath>
#include <string>

namespace sgmcmc {

void StepSize::validate(std::size_t dimension) const {
  if (values.empty()) throw OptionError("step_size is not set; give one positive number, or one per parameter");
  if (values.size() != 1 && values.size() != dimension)
    throw OptionError("step_size has " + std::to_string(values.size()) + " values but the model has " +
                      std::to_string(dimension) + " unconstrained parameters; give one value, or one for each");
  for (std::size_t j = 0; j < values.size(); ++j)
    if (!(values[j] > 0.0 && std::isfinite(values[j])))
      throw OptionError("step_size: element " + std::to_string(j) + " is " + std::to_string(values[j]) +
                        "; step sizes must be positive and finite");
}

double Schedule::multiplier(std::uint64_t t) const {
  const double time = static_cast<double>(t);
  switch (kind) {
    case Kind::polynomial: return std::pow(offset + time, -exponent);
    case Kind::decay: return std::pow(1.0 + time / offset, -exponent);
    case Kind::annealing: return time < exponent ? std::pow(offset, 1.0 - time / exponent) : 1.0;
    case Kind::constant: break;
  }
  return 1.0;
}

void Schedule::validate() const {
  if (kind == Kind::constant) return;
  if (kind == Kind::annealing) {
    if (!(offset >= 1.0 && std::isfinite(offset)))
      throw OptionError("schedule: r is " + std::to_string(offset) + "; it must be finite and at least 1");
    if (!(exponent >= 1.0 && std::isfinite(exponent)))
      throw OptionError("schedule: t is " + std::to_string(exponent) + "; it must be finite and at least 1");
    return;
  }
  const bool polynomial_form = kind == Kind::polynomial;
  if (!(offset > 0.0 && std::isfinite(offset)))
    throw OptionError(std::string("schedule: ") + (polynomial_form ? "b" : "tau") + " is " + std::to_string(offset) +
                      "; it must be positive and finite");
  // Above 1, the step sizes have a finite sum and the chain may stop before it reaches the posterior.
  if (!(exponent > 0.0 && exponent <= 1.0))
    throw OptionError(std::string("schedule: ") + (polynomial_form ? "gamma" : "kappa") + " is " +
                      std::to_string(exponent) + "; it must be above 0 and at most 1");
}

StepSizes::StepSizes(const StepSize& base, const Schedule& schedule, std::size_t dimension)
    : schedule_(schedule), base_(base.values), step_(dimension), root_(dimension) {
  base.validate(dimension);
  schedule.validate();
  if (base.values.size() == 1) {
    base_.assign(dimension, base.values[0]);
    base_mean_ = base.values[0];
    uniform_ = true;
  } else {
    for (const double value : base_) base_mean_ += value / static_cast<double>(dimension);
  }
  scale_by(schedule_.multiplier(0));
}

void StepSizes::set_iteration(std::uint64_t t) {
  if (schedule_.kind == Schedule::Kind::constant) return;
  const double multiplier = schedule_.multiplier(t);
  if (multiplier != multiplier_) scale_by(multiplier);
}

void StepSizes::scale_by(double multiplier) {
  multiplier_ = multiplier;
  mean_ = base_mean_ * multiplier;
  for (std::size_t j = 0; j < step_.size(); ++j) {
    step_[j] = base_[j] * multiplier;
    root_[j] = std::sqrt(step_[j]);
  }
}

}  // namespace sgmcmc
