// Messages about runs that failed.
#include "service/record/run_failure.hpp"

#include "base/checkpoint.hpp"
#include "base/text.hpp"

#include <string>
#include <vector>

namespace sgmcmc {

std::string what_is_saved(const RunFolder& folder, std::size_t count) {
  const auto iterations = checkpointed_iterations(folder.path(), count);
  std::vector<std::string> chains;
  for (std::size_t chain = 0; chain < iterations.size(); ++chain)
    if (iterations[chain] > 0)
      chains.push_back("chain " + std::to_string(chain + 1) + " up to iteration " + std::to_string(iterations[chain]));
  if (chains.empty()) return "No checkpoint had been written yet";
  constexpr std::size_t most = 4;
  const std::size_t more = chains.size() > most ? chains.size() - most : 0;
  chains.resize(chains.size() - more);
  return "Saved: " + joined(chains, ", ") + (more > 0 ? " and " + std::to_string(more) + " more" : "") +
         "; when the problem is fixed, continue with: " + folder.how_to_resume();
}

void note_failure(RunFolder& folder, const std::string& what, const std::function<void()>& finish) {
  try {
    if (finish) finish();
  } catch (const Error&) {  // probably the same full disk: one message is enough
  }
  try {
    folder.record()["error"] = what;
    folder.write_record("failed");
  } catch (const Error&) {
  }
}

}  // namespace sgmcmc
