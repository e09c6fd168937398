// The run of sample, and of resume.
#pragma once

#include "cli/option_values.hpp"
#include "cli/run_folder.hpp"

namespace sgmcmc::cli {

/// Runs as the options of sample say, into the folder where there is one: from the start, or from its checkpoints.
/// Returns the exit status.
int sample_into(RunFolder& folder, const OptionValues& values);

}  // namespace sgmcmc::cli
