// Placeholder for samplers of a prepared model whose preparation was interrupted.
#pragma once

#include "dynamics/dynamics.hpp"

#include <sgmcmc/error.hpp>

namespace sgmcmc {

/// Such a chain ends before its first step.
class WithoutTarget final : public Dynamics {
 public:
  WithoutTarget(std::size_t dimension, const char* needs) : Dynamics(dimension), needs_(needs) {}
  std::uint64_t evaluations_per_iteration() const override { return 0; }
  double last_step_size() const override { return 1.0; }
  StepStatus step(GradientEstimator&, std::uint64_t) override {
    throw OptionError(std::string("this sampler needs ") + needs_);
  }

 private:
  const char* needs_;
};

}  // namespace sgmcmc
