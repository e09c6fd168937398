// How far a posterior is from the normal approximation at its mode.
#pragma once

#include "chains/setup.hpp"

#include <span>

namespace sgmcmc {

double root_mean_square(std::span<const double> x);

/// Root mean square of (gradient + u) at draws u of the normal approximation, in its units: 0 for a normal law, and
/// very large where the mode says nothing of the posterior. The setup has a preconditioner.
double distance_to_normal(const RunSetup& setup, ThreadPool& pool);

}  // namespace sgmcmc
