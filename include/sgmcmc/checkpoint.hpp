// Checkpoints of runs: where and how often they are saved.
#pragma once

#include <filesystem>
#include <string>

namespace sgmcmc {

/// Each chain saves its state to a folder periodically, and when it ends or is interrupted. With `resume`, it continues
/// from there, with bit-identical draws to those of an uninterrupted run. A folder is for one run: each call of
/// fit_lda(), fit_dpmix() or factorize() needs its own, also for several chains of one model.
struct CheckpointOptions {
  std::filesystem::path folder;  ///< for chain-1.checkpoint, ..., setup.checkpoint; empty: nothing is saved
  double every_seconds = 60;     ///< 0: only at the end and when interrupted
  bool resume = false;           ///< continue saved chains, start others; tell the sink too
  std::string identity;          ///< identifies the run: checkpoints with another identity are refused
};

}  // namespace sgmcmc
