// The parts that all samplers share.
#include "dynamics/dynamics.hpp"

#include "dynamics/kernel.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace sgmcmc {

void Dynamics::initialise(std::span<const double> theta, const ChainKey& key) {
  set_position(theta);
  key_ = key;
}

void Dynamics::set_position(std::span<const double> theta) {
  if (theta.size() != position_.size())
    throw OptionError("starting point has " + std::to_string(theta.size()) + " elements but the model has " +
                      std::to_string(position_.size()) + " unconstrained parameters");
  const std::size_t bad = first_non_finite(theta);
  if (bad < theta.size())
    throw OptionError("starting point: element " + std::to_string(bad) +
                      " is not finite; start inside the support of the model");
  std::copy(theta.begin(), theta.end(), position_.begin());
}

StepStatus Dynamics::diagnose(std::span<const double> moved) const {
  const std::size_t bad_gradient = first_non_finite(gradient_);
  if (bad_gradient < gradient_.size()) return {StepFailure::gradient_not_finite, bad_gradient};
  std::size_t culprit = first_non_finite(moved);
  if (culprit == moved.size()) {
    const auto larger = [](double a, double b) { return std::abs(a) < std::abs(b); };
    culprit = static_cast<std::size_t>(std::max_element(moved.begin(), moved.end(), larger) - moved.begin());
  }
  return {StepFailure::position_not_finite, culprit};
}

std::unique_ptr<Dynamics> make_dynamics(const SamplerOptions& options, std::size_t dimension) {
  return std::visit([&](const auto& chosen) { return chosen.make(dimension); }, options);
}

}  // namespace sgmcmc
