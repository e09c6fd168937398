// Runs that can be resumed: of sample, lda, dpmix and factorize.
#pragma once

#include "cli/model_input.hpp"
#include "service/record/run_folder.hpp"
#include "settings/values.hpp"

#include <string>

namespace sgmcmc::cli {

/// The one file or folder that a run reads. Throws UsageError: `missing` where there is none, and where there are two,
/// that one file of `contents` is expected.
inline std::string only_operand(const OptionValues& values, const std::string& missing, const std::string& contents) {
  if (values.operands.empty()) throw UsageError(missing);
  if (values.operands.size() > 1)
    throw UsageError("one file of " + contents + " is expected, but '" + values.operands[0] + "' and '" +
                     values.operands[1] + "' are given");
  return values.operands.front();
}

/// Each runs as the options of its command say, into the folder where there is one: from the start, or from its
/// checkpoints. Returns the exit status.
/// whole: model and data that were read already; null: they are read.
int sample_into(RunFolder& folder, const OptionValues& values, const ModelInput* whole = nullptr);
int lda_into(RunFolder& folder, const OptionValues& values);
int dpmix_into(RunFolder& folder, const OptionValues& values);
int factorize_into(RunFolder& folder, const OptionValues& values);

}  // namespace sgmcmc::cli
