// Threads of one process as ranks: for tests, and for sanitizers, which do not see through MPI.
#pragma once

#include "ranks/communicator.hpp"

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <vector>

namespace sgmcmc {

/// The message queues that the ranks share.
class ThreadPost {
 public:
  explicit ThreadPost(int size) : ended_(static_cast<std::size_t>(size)) {}

  void put(int from, int to, int channel, std::string_view bytes);
  std::optional<std::string> take(int from, int to, int channel);
  /// Throws RankError if there are no more messages and the sender has ended.
  std::string wait_for(int from, int to, int channel);
  void end(int rank);

 private:
  using Key = std::tuple<int, int, int>;
  std::optional<std::string> taken(const Key& key);

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::map<Key, std::deque<std::string>> boxes_;
  std::vector<bool> ended_;
};

/// One for each rank, to be used by the thread of that rank. A rank has ended when its communicator is gone.
std::vector<std::unique_ptr<Communicator>> make_thread_ranks(int size);

/// Runs body(communicator) for every rank, each in a separate thread, and returns when all are done. If bodies throw,
/// rethrows the exception of the lowest rank that was not waiting for another rank.
void run_as_ranks(int size, const std::function<void(Communicator&)>& body);

}  // namespace sgmcmc
