// Runs that can be taken up again: where they save themselves, and how often.
#pragma once

#include <filesystem>
#include <string>

namespace sgmcmc {

/// A run that can be taken up again. Each chain saves itself now and then into a folder, and when it ends or is
/// interrupted; with `resume` it goes on from there, and ends with the draws it would have had without a break, to the
/// last bit. A folder is for one run: each fit_lda(), fit_dpmix() or factorize() needs its own, chains of one model
/// too.
struct CheckpointOptions {
  std::filesystem::path folder;  ///< empty: nothing is saved. Files chain-1.checkpoint, ..., setup.checkpoint in it
  double every_seconds = 60;     ///< 0: only at the end and when interrupted
  bool resume = false;           ///< chains that were saved go on, others start; a sink must know of it too
  std::string identity;          ///< whatever tells runs apart: what was saved under another one is refused
};

}  // namespace sgmcmc
