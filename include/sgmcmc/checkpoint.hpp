// Runs that can be taken up again: where they save themselves, and how often.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace sgmcmc {

/// Where chains save themselves in place of a folder: on another machine, say. For the library itself.
class CheckpointPlace {
 public:
  virtual ~CheckpointPlace() = default;
  /// As it was saved; nothing where the chain starts.
  virtual std::optional<std::string> read(std::uint32_t chain) = 0;
  /// Of the state that was read the chain has used all but so many bytes: those at the end, of its draws.
  virtual void restored(std::uint32_t chain, std::uint64_t bytes_left) = 0;
  virtual void write(std::uint32_t chain, const std::string& state) = 0;
};

/// A run that can be taken up again. Each chain saves itself now and then into a folder, and when it ends or is
/// interrupted; with `resume` it goes on from there, and ends with the draws it would have had without a break, to the
/// last bit. A folder is for one run: each fit_lda(), fit_dpmix() or factorize() needs its own, chains of one model
/// too.
struct CheckpointOptions {
  std::filesystem::path folder;      ///< empty: nothing is saved. Files chain-1.checkpoint, ..., setup.checkpoint in it
  double every_seconds = 60;         ///< 0: only at the end and when interrupted
  bool resume = false;               ///< chains that were saved go on, others start; a sink must know of it too
  std::string identity;              ///< whatever tells runs apart: what was saved under another one is refused
  CheckpointPlace* place = nullptr;  ///< if set, of chains in place of the folder; must outlive the run
};

}  // namespace sgmcmc
