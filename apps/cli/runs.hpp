// Runs that can be resumed: sample, lda, dpmix and factorize.
#pragma once

#include "cli/model_input.hpp"
#include "service/ranks/rank_job.hpp"
#include "service/record/run_folder.hpp"
#include "settings/values.hpp"

#include <string>

namespace sgmcmc::cli {

/// The one file or folder that a run reads. Throws UsageError with the text `missing` if there is no operand; if there
/// are several, asks for one file of `contents`.
inline std::string only_operand(const OptionValues& values, const std::string& missing, const std::string& contents) {
  if (values.operands.empty()) throw UsageError(missing);
  if (values.operands.size() > 1)
    throw UsageError("expected one file of " + contents + ", but '" + values.operands[0] + "' and '" +
                     values.operands[1] + "' are given");
  return values.operands.front();
}

/// Each runs its command with these options, from the start or from the checkpoints in the folder, and writes to the
/// folder if there is one. Returns the exit status. `ranks`: the ranks that take part; null: this process alone.
int sample_into(RunFolder& folder, const OptionValues& values, RankJob* ranks = nullptr);
int lda_into(RunFolder& folder, const OptionValues& values, RankJob* ranks = nullptr);
int dpmix_into(RunFolder& folder, const OptionValues& values);
int factorize_into(RunFolder& folder, const OptionValues& values, RankJob* ranks = nullptr);

}  // namespace sgmcmc::cli
