// The ranks that mpirun has started.
//
// OpenMPI 4 cannot go on without a rank. One that was killed is noticed by mpirun, which ends the others. One that
// hangs, or whose machine cannot be reached, is noticed here: rank 0 and each other rank send one another a sign of
// life twice a second, from a thread of their own, and where none came for some seconds the job is ended. Every rank
// ends by itself then, even where mpirun can no longer reach it.
#pragma once

#include "ranks/communicator.hpp"

#include <memory>

namespace sgmcmc {

/// Whether mpirun, or srun with PMIx, has started this process as one of several.
bool started_as_ranks();

struct LaunchOptions {
  /// Told why, before this process ends: another rank does not answer.
  std::function<void(const std::string& why)> lost;
  double silence_limit = 6;  ///< seconds without a sign of life
};

/// One rank where the process was not started as one of several. Throws RankError. When the communicator goes out of
/// scope, the ranks take leave of one another.
std::unique_ptr<Communicator> open_launched_ranks(const LaunchOptions& options);

}  // namespace sgmcmc
