// sample() with chains on other ranks.
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
  /// Tells the others what to run: with what `setup` has found.
  virtual void start(const RunSetup& setup, std::uint32_t chains) = 0;
  /// Tells a rank to end its chains early.
  virtual void stop(int rank) = 0;
  int rank_of(std::uint32_t chain);
};

/// ranks: null for all chains in this process. The draws are the same either way.
SampleResult sample(const Model& model, const SampleOptions& options, ChainRanks* ranks);

/// What another rank has to know beside the options of the run.
struct ChainJob {
  std::map<std::string, std::vector<double>> findings;
  std::uint32_t chains = 0;
  double checkpoint_seconds = -1;  ///< between checkpoints; negative: none are taken
  bool progress = false;           ///< whether somebody listens

  std::string bytes() const;
  static ChainJob from(std::string_view bytes);
};

/// On a rank other than 0: runs its share of the chains and sends what comes of it. Errors are sent, too.
void serve_chains(Communicator& ranks, const Model& model, SampleOptions options, const ChainJob& job);
/// Where a rank cannot even begin: sends the error for each of its chains.
void refuse_chains(Communicator& ranks, std::uint32_t chains, const std::string& reason);

}  // namespace sgmcmc
