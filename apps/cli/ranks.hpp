// Runs the program as one of several MPI ranks.
#pragma once

#include "service/ranks/rank_job.hpp"

#include <functional>

namespace sgmcmc::cli {

/// Runs `work` on rank 0, while the others help it. work receives the ranks that a run may use; null if there is only
/// one.
int run_on_ranks(const std::function<int(RankJob* ranks)>& work);

}  // namespace sgmcmc::cli
