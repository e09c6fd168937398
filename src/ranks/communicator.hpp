// Ranks: processes, or threads in tests, that work on one run.
//
// Rank 0 leads. It runs the program as a run on one machine does: it reads the options, tunes, writes the folder,
// judges the draws. The other ranks serve: they wait for messages of rank 0, do what these say, and answer. So nothing
// that depends on time, on signals or on files is decided twice, and a run is the same whatever the number of ranks.
//
// Two kinds of work are given away:
//   chains  Each rank binds the model to the data and runs some of the chains. Rank 0 tells it the options that the run
//           has in the end and what was found before the first iteration, as if the run were resumed; draws and
//           checkpoints come back as messages, and rank 0 writes them as those of its own chains (src/run/).
//   sums    Rows are cut into a fixed number of virtual shards of consecutive rows, and a rank owns some of them in
//           order. Where a program sums over rows (Executor::sum_shard), each shard is summed by the rank that owns it,
//           and the sums of shards are added along a fixed binary tree (shard_tree.hpp). The tree depends on the number
//           of shards alone, so that the bits of a sum do not depend on the number of ranks. It is the only seam: mode,
//           curvature, centres, chains and diagnosis all reach rows through executors.
//
// A communicator carries messages between ranks. Messages of one channel from one rank arrive in the order they were
// sent in; channels are independent. It may be used by several threads, one per channel and direction.
#pragma once

#include <sgmcmc/error.hpp>

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sgmcmc {

/// Another rank has ended or does not answer.
class RankError : public Error {
 public:
  using Error::Error;
};

/// A message to a rank.
struct Posting {
  int to = 0;
  std::string_view bytes;
};

class Communicator {
 public:
  virtual ~Communicator() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// "rank 2 (process 4711 on node7)": for messages.
  virtual std::string name_of(int rank) const = 0;

  virtual void send(int to, int channel, std::string_view bytes) = 0;
  /// The next message, or nothing where none has arrived yet.
  virtual std::optional<std::string> poll(int from, int channel) = 0;
  /// Waits for it. Throws RankError where that rank has ended.
  virtual std::string receive(int from, int channel);

  /// Sends all these messages and receives one from each rank of `from`, in their order. Other than send(), it does not
  /// wait for one message to be taken before it looks for others: ranks may exchange messages of any size.
  virtual std::vector<std::string> exchange(int channel, std::span<const Posting> messages, std::span<const int> from);

  /// Ends every rank at once, with this exit status: for errors from which the others cannot be told to stop.
  [[noreturn]] virtual void abort(int status) = 0;
};

/// One rank, which has nobody to talk to.
class SingleRank final : public Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  std::string name_of(int) const override { return "rank 0"; }
  void send(int to, int channel, std::string_view bytes) override;
  std::optional<std::string> poll(int from, int channel) override;
  [[noreturn]] void abort(int status) override;
};

// Channels. Chains have their own, from first_chain_channel on.
namespace channel {
inline constexpr int heartbeat = 1;  ///< of the communicator itself
inline constexpr int hello = 2;      ///< likewise
inline constexpr int control = 3;    ///< from rank 0: what to do
inline constexpr int reply = 4;      ///< to rank 0
inline constexpr int collective = 5;
inline constexpr int sums = 6;
inline constexpr int factors = 7;        ///< rows and gradients of a factorisation
inline constexpr int factor_orders = 8;  ///< from rank 0: its next step
inline constexpr int documents = 9;      ///< documents of a batch, and their counts
inline constexpr int first_chain = 16;
}  // namespace channel

// For all ranks, each of which calls the same function at the same point of its work.

/// What rank 0 has, to all.
std::string broadcast(Communicator& ranks, std::string_view bytes);
/// Returns when all ranks have called it.
void barrier(Communicator& ranks);
/// Sends to the next rank and receives from the one before it, around the ring.
std::string exchange_around_ring(Communicator& ranks, std::string_view bytes);

/// Pauses between polls of somebody who waits: short at first, so that answers are not late, then longer, so that ranks
/// that share a core do not take it from one another.
class Patience {
 public:
  void pause();

 private:
  int pauses_ = 0;
};

}  // namespace sgmcmc
