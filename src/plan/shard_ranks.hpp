// Sums over the rows of shards that other ranks own.
//
// Rank 0 sends a program as expressions, then points and batches; the rank that owns rows of a batch answers with the
// sums of the largest parts of the tree over shards that it owns, from left to right. Requests are sent on one channel,
// in order; the replies of each program have a separate channel, so that chains in several threads do not wait for one
// another.
#pragma once

#include "minibatch/row_batch.hpp"
#include "plan/executor.hpp"
#include "ranks/communicator.hpp"
#include "ranks/row_shards.hpp"

#include <sgmcmc/dataset.hpp>

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sgmcmc {

class ShardParts;

/// On rank 0.
class ShardRanks {
 public:
  /// order: the first bytes of every message, which distinguish it from messages for chains. shards: of the tree.
  ShardRanks(Communicator& ranks, std::string order, int shards);

  int size() const { return ranks_.size(); }
  int owner(int shard) const;       ///< a rank
  int first_shard(int rank) const;  ///< that of rank `size()`: the number of shards
  /// A number for the program. dimension: of its points.
  std::uint32_t open(const Program& program, std::int64_t dimension, const ExecutorOptions& options);
  void close(std::uint32_t program);
  void set_point(std::uint32_t program, Point point, std::span<const double> values);
  /// Asks the ranks that own rows of the batch for their sums.
  void ask(std::uint32_t program, const ShardParts& parts);
  /// The sums of the parts of the tree that a rank owns, one after the other.
  std::vector<double> answer(std::uint32_t program, int rank);

 private:
  void send_to_all(std::string_view bytes);

  Communicator& ranks_;
  std::string order_;
  int shards_;
  std::atomic<std::uint32_t> programs_{0};
};

/// On the other ranks.
class ShardServer {
 public:
  ShardServer(Communicator& ranks, Dataset data, int shards, int threads);
  ~ShardServer();
  /// Carries out a message, given without its first bytes.
  void serve(std::string_view request);

 private:
  struct Bound;
  Communicator& ranks_;
  Dataset data_;
  RowShards shards_;
  int first_own_, end_own_;
  ThreadPool pool_;
  std::map<std::uint32_t, std::unique_ptr<Bound>> programs_;
};

}  // namespace sgmcmc
