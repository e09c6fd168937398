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

/// Of all rows; points are on the unconstrained scale, and Jacobians are included. threads: 0: all there are.
std::vector<DensityAtPoint> density_at(const Model& model, std::span<const std::vector<double>> points,
                                       int threads = 0);

}  // namespace sgmcmc
