// What hmc-ecs needs to know beforehand: the expanded likelihood, and how many of its rows make a subset.
#pragma once

#include "dynamics/subset.hpp"
#include "model/log_posterior.hpp"

#include <memory>

namespace sgmcmc {

struct ExpandedTarget final : SubsetTarget {
  std::unique_ptr<Dynamics> make_dynamics(const HmcEcsOptions& options, std::size_t dimension) const override;

  std::shared_ptr<const LogPosterior> posterior;  ///< of the expanded model
  std::shared_ptr<const LogPosterior> smooth;     ///< the same without rows: prior and sum of expansions
  std::uint32_t subset_rows = 0;                  ///< all of them where expansions tell too little
};

}  // namespace sgmcmc
