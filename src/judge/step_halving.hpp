// The step-halving check: continues chains at half the step size, and compares means and standard deviations with the
// run.
#pragma once

#include "base/thread_pool.hpp"
#include "judge/draw_positions.hpp"

#include <sgmcmc/bias.hpp>

#include <vector>

namespace sgmcmc {

/// Positions of one set of draws, by chain.
struct ChainPoints {
  std::vector<std::vector<double>> chains;  ///< points x dimension each
};

/// Starts at the last draw of each chain; `centre`: that of control variates. Adds its cost to rows_touched.
HalvingCheck halve_steps(const Model& model, const SampleOptions& run, const MemoryDraws& draws,
                         const DrawPositions& positions, const ChainPoints& before, const std::vector<double>& centre,
                         const BiasOptions& options, ThreadPool& pool, double& rows_touched);

}  // namespace sgmcmc
