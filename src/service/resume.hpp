// Runs that go on from their checkpoints, if nothing of what made them has changed.
#pragma once

#include "service/record/run_folder.hpp"
#include "settings/values.hpp"

#include <cstdint>
#include <string>

namespace sgmcmc {

struct Resumption {
  OptionValues values;    ///< of the run, with those of this call in their place
  bool finished = false;  ///< there is nothing left to do
  std::string status;     ///< of a finished run: what was done, and what more can be
};

/// Checks that the run in the folder can go on. given: what may differ from before, such as the number of iterations.
/// Throws UsageError where the run cannot go on, and FileError where its record is damaged.
Resumption resume_run(RunFolder& folder, const OptionValues& given);

}  // namespace sgmcmc
