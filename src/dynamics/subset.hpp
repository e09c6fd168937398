// The seam to hmc-ecs, which is made in src/subsets/.
#pragma once

#include "dynamics/dynamics.hpp"

namespace sgmcmc {

/// A model whose likelihood was expanded: what hmc-ecs runs on.
struct SubsetTarget {
  virtual ~SubsetTarget() = default;
  virtual std::unique_ptr<Dynamics> make_dynamics(const HmcEcsOptions& options, std::size_t dimension) const = 0;
};

}  // namespace sgmcmc
