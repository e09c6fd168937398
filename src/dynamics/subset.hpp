// The interface to hmc-ecs, which src/subsets/ implements.
#pragma once

#include "dynamics/dynamics.hpp"

namespace sgmcmc {

/// A model with expanded likelihood, prepared for hmc-ecs.
struct SubsetTarget {
  virtual ~SubsetTarget() = default;
  virtual std::unique_ptr<Dynamics> make_dynamics(const HmcEcsOptions& options, std::size_t dimension) const = 0;
};

}  // namespace sgmcmc
