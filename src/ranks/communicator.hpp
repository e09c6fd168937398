// Ranks: processes (threads in tests) that work on one run.
//
// Rank 0 leads. It runs the program like a run on one machine: it reads the options, tunes, writes the folder and
// judges the draws. The other ranks serve: they wait for messages of rank 0, carry them out, and reply. So decisions
// that depend on time, signals or files are made only once, and a run is the same for any number of ranks.
//
// Rank 0 delegates two kinds of work:
//   chains  Each rank binds the model to the data and runs some of the chains. Rank 0 sends it the final options of the
//           run and the results found before the first iteration, as for a resumed run; draws and checkpoints come back
//           as messages, and rank 0 writes them like those of its own chains (src/run/).
//   sums    Rows are cut into a fixed number of virtual shards of consecutive rows, and a rank owns some of them in
//           order. Where a program sums over rows (Executor::sum_shard), each shard is summed by the rank that owns it,
//           and the sums of shards are added along a fixed binary tree (shard_tree.hpp). The tree depends on the number
//           of shards alone, so that the bits of a sum do not depend on the number of ranks. Only executors
//           divide rows among ranks: mode, curvature, centres, chains and diagnosis all access rows through them.
//
// A communicator carries messages between ranks. Messages from one rank on one channel arrive in the order in which
// they were sent; channels are independent. Several threads may use it, one per channel and direction.
#pragma once

#include <sgmcmc/error.hpp>

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sgmcmc {

/// Another rank has ended or does not respond.
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
  /// The next message; empty if none has arrived yet.
  virtual std::optional<std::string> poll(int from, int channel) = 0;
  /// Waits for the next message. Throws RankError if that rank has ended.
  virtual std::string receive(int from, int channel);

  /// Sends all these messages and receives one from each rank in `from`, in that order. Unlike send(), it does not wait
  /// for a message to be received before it receives others, so that ranks can exchange messages of any size.
  virtual std::vector<std::string> exchange(int channel, std::span<const Posting> messages, std::span<const int> from);

  /// Ends all ranks at once with this exit status, for errors after which the others cannot be asked to stop.
  [[noreturn]] virtual void abort(int status) = 0;
};

/// The communicator of a single rank.
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

// Collective functions: every rank calls the same function at the same point.

/// Sends the value of rank 0 to all ranks.
std::string broadcast(Communicator& ranks, std::string_view bytes);
/// Returns when all ranks have called it.
void barrier(Communicator& ranks);
/// Sends to the next rank and receives from the one before it, around the ring.
std::string exchange_around_ring(Communicator& ranks, std::string_view bytes);

/// Pauses between polls while waiting: short at first, for low latency, then longer, so that ranks that share a core do
/// not slow each other down.
class Patience {
 public:
  void pause();

 private:
  int pauses_ = 0;
};

}  // namespace sgmcmc
