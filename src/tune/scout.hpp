// Step sizes for a posterior of which no mode is known, from a chain that goes to it.
#pragma once

#include "chains/setup.hpp"

#include <sgmcmc/dynamics.hpp>

#include <cstdint>
#include <string>

namespace sgmcmc {

enum class StepScales : std::uint8_t {
  one,   ///< all coordinates take the same step, but for those whose gradients are noisier than most
  each,  ///< each its own, by the size of its gradients
};

struct Scouted {
  SghmcOptions sampler;          ///< complete but for its schedule, with momentum that is never drawn anew
  double first_steps = 1;        ///< how many times as large steps may be at the start of a chain
  bool noise_limits = true;      ///< the steps; else curvature does, or what diverged
  double log_likelihood = 0;     ///< mean over the last positions, by the same part of the rows for all scouts
  std::uint64_t iterations = 0;  ///< of stages that did not diverge
  double rows_touched = 0;
  std::string failure;  ///< empty: it got there
};

/// The share of its iterations that gradients are measured in, at the end.
constexpr double share_measured = 0.3;

/// Follows a chain from setup's starting point, with large steps first and the final ones in the second half.
Scouted scout(const RunSetup& setup, StepScales scales, std::uint64_t iterations);

}  // namespace sgmcmc
