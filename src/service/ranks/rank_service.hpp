// Runs over several ranks: what rank 0 sends to the others, and what they do.
#pragma once

#include "run/ranked_sample.hpp"
#include "service/ranks/rank_job.hpp"
#include "settings/values.hpp"

#include <sgmcmc/dataset.hpp>

#include <nlohmann/json_fwd.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace sgmcmc {

class MessageWriter;
class ShardRanks;
struct RowShare;
class StanPosterior;

/// Rank 0 of several.
class RankLeader final : public ChainRanks {
 public:
  explicit RankLeader(Communicator& ranks) : ranks_(ranks) {}

  /// Tells the others the model and data of the run, so that they read them at the same time as this rank.
  void prepare(const OptionValues& values, const std::string& model_path);
  /// Divides the rows among all ranks: from now on, all ranks compute the sums over rows. Throws Error if another rank
  /// has different data, or cannot read them.
  std::shared_ptr<ShardRanks> share_rows(const Dataset& data, const std::string& row_files, int shards);
  /// The record of the run, with the final options.
  void set_record(const nlohmann::ordered_json& record);

  /// The other ranks take part in a factorisation, which this rank begins at once, until it is done.
  Communicator& start_factorization();
  /// Likewise in sampling topics.
  Communicator& start_documents();
  /// A rank samples these parts of the rows of the model that prepare() named. stop() ends it early.
  void start_parts(int rank, const OptionValues& call, const std::vector<std::uint64_t>& numbers);
  /// Whether it has ended; then calls warn with each of its warnings. Throws Error if a part failed.
  bool parts_have_ended(int rank, const std::function<void(const std::string& text)>& warn);

  Communicator& communicator() override { return ranks_; }
  void start(const RunSetup& setup, std::uint32_t chains) override;
  void stop(int rank) override;

 private:
  Communicator& start_work(MessageWriter order);

  Communicator& ranks_;
  std::string record_;
};

/// Divides sums over rows into the number of shards given by the options, and distributes these among ranks if
/// requested. Returns the number of shards; 0: rows are not divided. Throws UsageError if that is impossible.
int shard_rows(const OptionValues& values, const StanPosterior& posterior, RankLeader* ranks);

/// The rows that a rank reads and keeps; null: all, because rows are not divided among ranks.
std::shared_ptr<const RowShare> share_of_rows(const OptionValues& values, int rank, int ranks);

/// A record of a call without file hashes: enough to pass its options to another rank.
nlohmann::ordered_json call_record(const OptionValues& values, const std::string& model_path);

/// On ranks other than 0: carries out the orders of rank 0 until it ends.
void serve_rank_zero(Communicator& ranks, const ServeParts& sample_parts);
/// On rank 0, after success or failure: ends the other ranks. If some do not end within a few seconds, aborts them and
/// this process with the given exit status.
void end_other_ranks(Communicator& ranks, int status);

}  // namespace sgmcmc
