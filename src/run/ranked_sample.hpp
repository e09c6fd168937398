// sample() with some chains on other ranks (processes; see src/ranks/).
#pragma once

#include <sgmcmc/sample.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace sgmcmc {

class Communicator;
class RunSetup;

/// Rank 0's view of the ranks that run chains.
class ChainRanks {
 public:
  virtual ~ChainRanks() = default;
  virtual Communicator& communicator() = 0;
  /// Tells the other ranks what to run, and sends them the findings of `setup`.
  virtual void start(const RunSetup& setup, std::uint32_t chains) = 0;
  /// Tells a rank to end its chains early.
  virtual void stop(int rank) = 0;
  int rank_of(std::uint32_t chain);
};

/// ranks: null to run all chains in this process. The draws are the same either way.
SampleResult sample(const Model& model, const SampleOptions& options, ChainRanks* ranks);

/// What another rank needs to know besides the options of the run.
struct ChainJob {
  std::map<std::string, std::vector<double>> findings;
  std::uint32_t chains = 0;
  double checkpoint_seconds = -1;  ///< between checkpoints; negative: no checkpoints
  bool progress = false;           ///< whether to report progress

  std::string bytes() const;
  static ChainJob from(std::string_view bytes);
};

/// On a rank other than 0: runs its share of the chains and sends draws, results and errors to rank 0.
void serve_chains(Communicator& ranks, const Model& model, SampleOptions options, const ChainJob& job);
/// For a rank that cannot start: sends the error for each of its chains.
void refuse_chains(Communicator& ranks, std::uint32_t chains, const std::string& reason);

}  // namespace sgmcmc
