// Operands, warnings and last words of runs that can be resumed.
#include "cli/runs.hpp"

#include "cli/command_table.hpp"
#include "cli/interrupt.hpp"

#include <sgmcmc/corpus.hpp>
#include <sgmcmc/error.hpp>

#include <iostream>

namespace sgmcmc::cli {

std::string only_operand(const OptionValues& values, const std::string& missing, const std::string& contents) {
  if (values.operands.empty()) throw UsageError(missing);
  if (values.operands.size() > 1)
    throw UsageError("expected one file of " + contents + ", but '" + values.operands[0] + "' and '" +
                     values.operands[1] + "' are given");
  return values.operands.front();
}

void refuse_to_resume_application(const RunFolder& folder, const OptionValues& values) {
  if (!folder.resumes()) return;
  throw FileError(
      "'" + folder.path().string() +
      "' is the folder of an interrupted run with --apply, which cannot be resumed; repeat it with sgmcmc " +
      declaration_of(values.command()).name + " --apply");
}

void warn_of_skipped_documents(const OptionValues& values, const Corpus& corpus) {
  if (corpus.skipped() > 0 && !values.flag("quiet"))
    std::cerr << "sgmcmc: warning: " << corpus.skipped() << " documents without words were omitted\n";
}

void warn_of_overflows(const OptionValues& values, std::uint64_t failed_steps, std::uint64_t iterations) {
  if (failed_steps > 0 && !values.flag("quiet"))
    std::cerr << "sgmcmc: warning: " << failed_steps << " of " << iterations
              << " steps overflowed and were skipped. Use a smaller --step-size\n";
}

int status_at_end(const RunFolder& folder, bool interrupted, std::uint64_t iterations, std::uint64_t of_iterations) {
  if (!interrupted) return 0;
  std::cout.flush();
  std::cerr << "sgmcmc: interrupted after " << iterations << " of " << of_iterations << " iterations"
            << (folder.exists() ? ". To continue: " + folder.how_to_resume() : "") << "\n";
  return interrupted_status;
}

}  // namespace sgmcmc::cli
