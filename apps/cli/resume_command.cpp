// sgmcmc resume: continues a run from its checkpoints.
#include "cli/commands.hpp"
#include "cli/runs.hpp"
#include "service/record/resume.hpp"

#include <iostream>

namespace sgmcmc::cli {

int run_resume(const OptionValues& given, RankJob* ranks) {
  if (given.operands.size() != 1)
    throw UsageError("give the folder of one run: sgmcmc resume DIR; " + std::to_string(given.operands.size()) +
                     " folders are given");
  RunFolder folder{std::filesystem::path(given.operands.front())};
  const Resumption resumption = resume_run(folder, given);
  if (resumption.finished) {
    if (!given.flag("quiet"))
      std::cerr << "sgmcmc: the run in '" << folder.path().string() << "' is finished: " << resumption.status << "\n";
    return 0;
  }
  const Command command = resumption.values.command();
  if (ranks && command == Command::dpmix)
    throw UsageError("the run in '" + folder.path().string() + "' is of " + std::string(command_name(command)) +
                     ", which runs in one process: resume it without mpirun");
  switch (command) {
    case Command::lda: return lda_into(folder, resumption.values, ranks);
    case Command::dpmix: return dpmix_into(folder, resumption.values);
    case Command::factorize: return factorize_into(folder, resumption.values, ranks);
    default: return sample_into(folder, resumption.values, ranks);
  }
}

}  // namespace sgmcmc::cli
