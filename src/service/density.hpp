// The log posterior density at given points, and its gradient.
#pragma once

#include <sgmcmc/model.hpp>

#include <span>
#include <vector>

namespace sgmcmc {

struct DensityAtPoint {
  double log_density = 0;
  std::vector<double> gradient;
};

/// Uses all rows. Points are on the unconstrained scale, and the density includes the Jacobians. threads: 0 means all.
std::vector<DensityAtPoint> density_at(const Model& model, std::span<const std::vector<double>> points,
                                       int threads = 0);

}  // namespace sgmcmc
