// The step-halving check: chains run on at half the step, their means and standard deviations beside those of the run.
#pragma once

#include "base/thread_pool.hpp"
#include "judge/draw_positions.hpp"

#include <sgmcmc/bias.hpp>

#include <vector>

namespace sgmcmc {

/// Chain by chain, point after point: positions of one set of draws.
struct ChainPoints {
  std::vector<std::vector<double>> chains;  ///< points x dimension each
};

/// From the last draw of each chain; `centre`: where control variates are to have theirs. Adds what it costs to
/// rows_touched.
HalvingCheck halve_steps(const Model& model, const SampleOptions& run, const MemoryDraws& draws,
                         const DrawPositions& positions, const ChainPoints& before, const std::vector<double>& centre,
                         const BiasOptions& options, ThreadPool& pool, double& rows_touched);

}  // namespace sgmcmc
