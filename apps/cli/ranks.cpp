// Runs the program under mpirun: rank 0 runs the command, and the others work for it.
#include "cli/ranks.hpp"

#include "service/parts/sample_parts.hpp"

#include <csignal>
#include <cstdio>
#include <exception>
#include <string>

namespace sgmcmc::cli {
namespace {

void say(const std::string& text) {
  const std::string line = "sgmcmc: " + text + "\n";  // written at once, because other ranks may write too
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(stderr);
}

int serve(RankJob& job) {
  // Only rank 0 handles signals: it stops the other ranks in order, so that nothing is lost.
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGTERM, SIG_IGN);
  try {
    job.serve(sample_some_parts);
    return 0;
  } catch (const std::exception& error) {
    say(job.name() + ": " + error.what());
    job.abort(1);
  }
}

}  // namespace

int run_on_ranks(const std::function<int(RankJob*)>& work) {
  if (!started_as_ranks()) return work(nullptr);
  try {
    RankJob job([](const std::string& why) {
      say(why + ". The run ends; what was saved can be resumed with any number of ranks: sgmcmc resume DIR");
    });
    if (job.rank() > 0) return serve(job);
    const int status = work(&job);
    job.end(status);
    return status;
  } catch (const std::exception& error) {
    say(error.what());
    return 1;
  }
}

}  // namespace sgmcmc::cli
