// Follows, on rank 0, a chain that runs on another rank.
#pragma once

#include "run/chain_run.hpp"
#include "run/ranked_sample.hpp"

namespace sgmcmc {

/// Sends the chain its checkpoint if the run is resumed, passes on its draws, writes its checkpoints, and returns its
/// outcome. Rethrows its errors.
ChainOutcome follow_chain(ChainRanks& ranks, const std::shared_ptr<RunSetup>& setup, std::uint32_t number,
                          SampleResult& result, const std::atomic<bool>& another_failed);

}  // namespace sgmcmc
