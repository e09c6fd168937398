// What commands share whose runs can be resumed: sample, lda, dpmix and factorize.
#pragma once

#include "cli/model_input.hpp"
#include "service/ranks/rank_job.hpp"
#include "service/record/run_folder.hpp"
#include "settings/values.hpp"

#include <cstdint>
#include <string>

namespace sgmcmc {
class Corpus;
}

namespace sgmcmc::cli {

/// The one file or folder that a run reads. Throws UsageError with the text `missing` if there is no operand; if there
/// are several, asks for one file of `contents`.
std::string only_operand(const OptionValues& values, const std::string& missing, const std::string& contents);

/// Throws FileError if the folder is that of an interrupted run with --apply, which cannot be resumed.
void refuse_to_resume_application(const RunFolder& folder, const OptionValues& values);

/// Each prints nothing if the count is 0, or with --quiet.
void warn_of_skipped_documents(const OptionValues& values, const Corpus& corpus);
void warn_of_overflows(const OptionValues& values, std::uint64_t failed_steps, std::uint64_t iterations);

/// The exit status of a run; says how to continue it if it was interrupted.
int status_at_end(const RunFolder& folder, bool interrupted, std::uint64_t iterations, std::uint64_t of_iterations);

/// Each runs its command with these options, from the start or from the checkpoints in the folder, and writes to the
/// folder if there is one. Returns the exit status. `ranks`: the ranks that take part; null: this process alone.
int sample_into(RunFolder& folder, const OptionValues& values, RankJob* ranks = nullptr);
int lda_into(RunFolder& folder, const OptionValues& values, RankJob* ranks = nullptr);
int dpmix_into(RunFolder& folder, const OptionValues& values);
int factorize_into(RunFolder& folder, const OptionValues& values, RankJob* ranks = nullptr);

}  // namespace sgmcmc::cli
