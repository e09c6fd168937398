// How far a posterior is from the normal approximation at its mode.
#pragma once

#include "chains/setup.hpp"

#include <span>

namespace sgmcmc {

double root_mean_square(std::span<const double> x);

/// Root mean square of (gradient + u) at draws u of the normal approximation, in preconditioned coordinates: 0 for a
/// normal posterior, very large if the mode is not typical of the posterior. The setup must have a preconditioner.
double distance_to_normal(const RunSetup& setup, ThreadPool& pool);

}  // namespace sgmcmc
