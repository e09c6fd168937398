// Runs over ranks: what rank 0 tells the others, and what these do.
#pragma once

#include "run/ranked_sample.hpp"
#include "settings/values.hpp"

#include <sgmcmc/dataset.hpp>

#include <nlohmann/json_fwd.hpp>

#include <atomic>
#include <memory>
#include <string>

namespace sgmcmc {

class ShardRanks;
class StanPosterior;

/// Rank 0 of several, for a run of sample.
class RankLeader final : public ChainRanks {
 public:
  explicit RankLeader(Communicator& ranks) : ranks_(ranks) {}

  /// Tells the others which model and data the run has: they read them while this rank does.
  void prepare(const OptionValues& values, const std::string& model_path);
  /// Cuts the rows among all ranks: from now on sums over them are made by all. Throws Error where another rank has
  /// other data, or cannot read them.
  std::shared_ptr<ShardRanks> share_rows(const Dataset& data, int shards);
  /// The record of the run, with the options that it has in the end.
  void set_record(const nlohmann::ordered_json& record);

  Communicator& communicator() override { return ranks_; }
  void start(const RunSetup& setup, std::uint32_t chains) override;
  void stop(int rank) override;

 private:
  Communicator& ranks_;
  std::string record_;
};

/// Cuts sums over rows into the shards that the options ask for, and shares them among ranks where they ask for that.
/// Returns the number of shards; 0: rows are not cut. Throws UsageError where that cannot be done.
int shard_rows(const OptionValues& values, const StanPosterior& posterior, RankLeader* ranks);

/// A record of a call without hashes: enough for another rank to know its options.
nlohmann::ordered_json call_record(const OptionValues& values, const std::string& model_path);

/// On ranks other than 0: does what rank 0 says until that ends.
void serve_rank_zero(Communicator& ranks);
/// On rank 0, when all is done or has failed: the others end. Those that do not within some seconds are ended, and this
/// process with them, with the exit status given.
void end_other_ranks(Communicator& ranks, int status);

}  // namespace sgmcmc
