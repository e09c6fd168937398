// Preparation for hmc-ecs: the expanded likelihood, and the size of a subset.
#pragma once

#include "dynamics/subset.hpp"
#include "model/log_posterior.hpp"

#include <memory>

namespace sgmcmc {

struct ExpandedTarget final : SubsetTarget {
  std::unique_ptr<Dynamics> make_dynamics(const HmcEcsOptions& options, std::size_t dimension) const override;

  std::shared_ptr<const LogPosterior> posterior;  ///< of the expanded model
  std::shared_ptr<const LogPosterior> smooth;     ///< the same without rows: prior and sum of expansions
  std::uint32_t subset_rows = 0;                  ///< all rows if the expansion is too inaccurate
};

}  // namespace sgmcmc
