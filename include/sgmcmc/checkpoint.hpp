// Checkpoints of runs: where and how often they are saved.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace sgmcmc {

/// Stores the states of chains elsewhere than in a folder, for example on another machine. For the library itself.
class CheckpointPlace {
 public:
  virtual ~CheckpointPlace() = default;
  /// The saved state; empty if the chain starts from the beginning.
  virtual std::optional<std::string> read(std::uint32_t chain) = 0;
  /// Reports that the chain has used the state read except for its last `bytes_left` bytes, which hold its draws.
  virtual void restored(std::uint32_t chain, std::uint64_t bytes_left) = 0;
  virtual void write(std::uint32_t chain, const std::string& state) = 0;
};

/// Each chain saves its state to a folder periodically, and when it ends or is interrupted. With `resume`, it continues
/// from there, with bit-identical draws to those of an uninterrupted run. A folder is for one run: each call of
/// fit_lda(), fit_dpmix() or factorize() needs its own, also for several chains of one model.
struct CheckpointOptions {
  std::filesystem::path folder;      ///< for chain-1.checkpoint, ..., setup.checkpoint; empty: nothing is saved
  double every_seconds = 60;         ///< 0: only at the end and when interrupted
  bool resume = false;               ///< continue saved chains, start others; tell the sink too
  std::string identity;              ///< identifies the run: rejects checkpoints with another identity
  CheckpointPlace* place = nullptr;  ///< if set, stores chains instead of the folder; must outlive the run
};

}  // namespace sgmcmc
