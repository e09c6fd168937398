// Passes messages as strings in queues.
#include "ranks/thread_ranks.hpp"

#include <exception>
#include <thread>

namespace sgmcmc {
namespace {

class ThreadRank final : public Communicator {
 public:
  ThreadRank(std::shared_ptr<ThreadPost> post, int rank, int size) : post_(std::move(post)), rank_(rank), size_(size) {}
  ~ThreadRank() override { post_->end(rank_); }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::string name_of(int rank) const override { return "rank " + std::to_string(rank); }
  void send(int to, int channel, std::string_view bytes) override { post_->put(rank_, to, channel, bytes); }
  std::optional<std::string> poll(int from, int channel) override { return post_->take(from, rank_, channel); }
  std::string receive(int from, int channel) override { return post_->wait_for(from, rank_, channel); }
  [[noreturn]] void abort(int) override {
    for (int rank = 0; rank < size_; ++rank) post_->end(rank);
    throw RankError("rank " + std::to_string(rank_) + " has ended the run");
  }

 private:
  std::shared_ptr<ThreadPost> post_;
  int rank_, size_;
};

}  // namespace

void ThreadPost::put(int from, int to, int channel, std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  boxes_[{from, to, channel}].emplace_back(bytes);
  arrived_.notify_all();
}

std::optional<std::string> ThreadPost::taken(const Key& key) {
  const auto box = boxes_.find(key);
  if (box == boxes_.end() || box->second.empty()) return std::nullopt;
  std::string message = std::move(box->second.front());
  box->second.pop_front();
  return message;
}

std::optional<std::string> ThreadPost::take(int from, int to, int channel) {
  const std::lock_guard lock(mutex_);
  auto message = taken({from, to, channel});
  if (!message && ended_[static_cast<std::size_t>(from)])
    throw RankError("rank " + std::to_string(from) + " has ended");
  return message;
}

std::string ThreadPost::wait_for(int from, int to, int channel) {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (auto message = taken({from, to, channel})) return std::move(*message);
    if (ended_[static_cast<std::size_t>(from)]) throw RankError("rank " + std::to_string(from) + " has ended");
    arrived_.wait(lock);
  }
}

void ThreadPost::end(int rank) {
  const std::lock_guard lock(mutex_);
  ended_[static_cast<std::size_t>(rank)] = true;
  arrived_.notify_all();
}

std::vector<std::unique_ptr<Communicator>> make_thread_ranks(int size) {
  const auto post = std::make_shared<ThreadPost>(size);
  std::vector<std::unique_ptr<Communicator>> ranks;
  for (int rank = 0; rank < size; ++rank) ranks.push_back(std::make_unique<ThreadRank>(post, rank, size));
  return ranks;
}

void run_as_ranks(int size, const std::function<void(Communicator&)>& body) {
  auto ranks = make_thread_ranks(size);
  std::vector<std::exception_ptr> failures(ranks.size()), waiting(ranks.size());
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    threads.emplace_back([&, rank] {
      try {
        body(*ranks[rank]);
      } catch (const RankError&) {
        waiting[rank] = std::current_exception();
      } catch (...) {
        failures[rank] = std::current_exception();
      }
      ranks[rank].reset();
    });
  for (auto& thread : threads) thread.join();
  for (const auto& failure : failures)
    if (failure) std::rethrow_exception(failure);
  for (const auto& failure : waiting)
    if (failure) std::rethrow_exception(failure);
}

}  // namespace sgmcmc
