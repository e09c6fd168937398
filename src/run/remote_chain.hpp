// A chain that runs on another rank, as rank 0 sees it.
#pragma once

#include "run/chain_run.hpp"
#include "run/ranked_sample.hpp"

namespace sgmcmc {

/// Gives the chain its checkpoint where the run is resumed, hands on its draws, writes its checkpoints, and returns
/// what it leaves. Rethrows what it threw.
ChainOutcome follow_chain(ChainRanks& ranks, const std::shared_ptr<RunSetup>& setup, std::uint32_t number,
                          SampleResult& result, const std::atomic<bool>& another_failed);

}  // namespace sgmcmc
