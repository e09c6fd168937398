// The ranks started by mpirun.
//
// OpenMPI 4 cannot continue without a rank. If a rank is killed, mpirun detects that and ends the others. A rank that
// hangs, or whose machine cannot be reached, is detected here: rank 0 and each other rank exchange heartbeats twice a
// second, from a separate thread, and if none arrives for some seconds, the job is ended. Every rank then ends by
// itself, even if mpirun can no longer reach it.
#pragma once

#include "ranks/communicator.hpp"

#include <memory>

namespace sgmcmc {

/// Whether mpirun, or srun with PMIx, has started this process as one of several.
bool started_as_ranks();

struct LaunchOptions {
  /// Called with the reason before this process ends because another rank does not respond.
  std::function<void(const std::string& why)> lost;
  double silence_limit = 6;  ///< seconds without a heartbeat
};

/// A single rank if the process was not started as one of several. Throws RankError. The destructor of the communicator
/// waits for the other ranks to finish.
std::unique_ptr<Communicator> open_launched_ranks(const LaunchOptions& options);

}  // namespace sgmcmc
