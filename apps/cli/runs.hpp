// Runs that can be resumed: of sample, lda, dpmix and factorize.
#pragma once

#include "service/record/run_folder.hpp"
#include "settings/values.hpp"

namespace sgmcmc::cli {

/// Each runs as the options of its command say, into the folder where there is one: from the start, or from its
/// checkpoints. Returns the exit status.
int sample_into(RunFolder& folder, const OptionValues& values);
int lda_into(RunFolder& folder, const OptionValues& values);
int dpmix_into(RunFolder& folder, const OptionValues& values);
int factorize_into(RunFolder& folder, const OptionValues& values);

}  // namespace sgmcmc::cli
