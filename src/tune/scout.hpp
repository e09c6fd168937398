// Finds step sizes for a posterior without a known mode, by running a chain towards it.
#pragma once

#include "chains/setup.hpp"

#include <sgmcmc/dynamics.hpp>

#include <cstdint>
#include <string>

namespace sgmcmc {

enum class StepScales : std::uint8_t {
  one,   ///< one step size, except for coordinates with much noisier gradients
  each,  ///< one per coordinate, from the size of its gradients
};

struct Scouted {
  SghmcOptions sampler;          ///< complete except for its schedule, without momentum refreshment
  double first_steps = 1;        ///< factor for step sizes at the start of a chain
  bool noise_limits = true;      ///< gradient noise limits the steps; else curvature or divergence
  double log_likelihood = 0;     ///< mean over the last positions, on the same rows for all scouts
  std::uint64_t iterations = 0;  ///< in stages that did not diverge
  double rows_touched = 0;
  std::string failure;  ///< empty: success
};

/// The share of iterations, at the end, in which gradients are measured.
constexpr double share_measured = 0.3;

/// Runs a chain from the starting point of the setup, with large steps first and the final ones in the second half.
Scouted scout(const RunSetup& setup, StepScales scales, std::uint64_t iterations);

}  // namespace sgmcmc
