// The program as one of several ranks.
#pragma once

#include "service/ranks/rank_job.hpp"

#include <functional>

namespace sgmcmc::cli {

/// Runs `work` on rank 0; the others help it. work gets the ranks that a run may use; null: there is one rank.
int run_on_ranks(const std::function<int(RankJob* ranks)>& work);

}  // namespace sgmcmc::cli
