// Shared by all communicators: waiting, and collective functions built from messages.
#include "ranks/communicator.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

namespace sgmcmc {

void Patience::pause() {
  // Sleeps instead of yielding: on an oversubscribed machine, a yield waits for all other processes, whereas a sleeper
  // is woken soon.
  constexpr int at_once = 200, short_sleeps = 2000;
  ++pauses_;
  if (pauses_ <= at_once) return;
  std::this_thread::sleep_for(std::chrono::microseconds(pauses_ <= at_once + short_sleeps ? 20 : 200));
}

std::string Communicator::receive(int from, int channel) {
  Patience patience;
  for (;;) {
    if (auto message = poll(from, channel)) return std::move(*message);
    patience.pause();
  }
}

std::vector<std::string> Communicator::exchange(int channel, std::span<const Posting> messages,
                                                std::span<const int> from) {
  for (const Posting& message : messages) send(message.to, channel, message.bytes);
  std::vector<std::string> received;
  for (const int rank : from) received.push_back(receive(rank, channel));
  return received;
}

void SingleRank::send(int, int, std::string_view) { throw RankError("there is no other rank to send to"); }
std::optional<std::string> SingleRank::poll(int, int) { throw RankError("there is no other rank to receive from"); }
void SingleRank::abort(int status) { std::_Exit(status); }

std::string broadcast(Communicator& ranks, std::string_view bytes) {
  // Along a binomial tree: a rank receives from the rank whose number lacks its lowest set bit.
  const int rank = ranks.rank(), size = ranks.size();
  int step = 1;
  std::string held(bytes);
  while (step < size && (rank & step) == 0) step <<= 1;
  if (rank != 0) held = ranks.receive(rank - step, channel::collective);
  for (step >>= 1; step > 0; step >>= 1)
    if (rank + step < size) ranks.send(rank + step, channel::collective, held);
  return held;
}

void barrier(Communicator& ranks) {
  if (ranks.rank() > 0) {
    ranks.send(0, channel::collective, "");
  } else {
    for (int other = 1; other < ranks.size(); ++other) ranks.receive(other, channel::collective);
  }
  broadcast(ranks, "");
}

std::string exchange_around_ring(Communicator& ranks, std::string_view bytes) {
  if (ranks.size() == 1) return std::string(bytes);
  const int next = (ranks.rank() + 1) % ranks.size(), before = (ranks.rank() + ranks.size() - 1) % ranks.size();
  const Posting message{next, bytes};
  return std::move(ranks.exchange(channel::collective, {&message, 1}, {&before, 1}).front());
}

}  // namespace sgmcmc
