// Resumes runs from their checkpoints, if their inputs have not changed.
#pragma once

#include "service/record/run_folder.hpp"
#include "settings/values.hpp"

#include <cstdint>
#include <string>

namespace sgmcmc {

struct Resumption {
  OptionValues values;    ///< those of the run, overridden by those of this call
  bool finished = false;  ///< there is nothing left to do
  std::string status;     ///< for a finished run: what was done, and how it can be extended
};

/// Checks that the run in the folder can be resumed. given: options that may change, such as the number of iterations.
/// Throws UsageError if the run cannot be resumed, and FileError if its record is damaged.
Resumption resume_run(RunFolder& folder, const OptionValues& given);

}  // namespace sgmcmc
