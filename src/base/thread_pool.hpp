// A fixed set of threads that runs one parallel loop at a time, without allocation and with low latency.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace sgmcmc {

/// The number of hardware threads; at least 1.
int hardware_threads();

class ThreadPool {
 public:
  /// threads includes the caller: 1 starts no thread, 0 means hardware_threads().
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return threads_; }

  /// Runs body(index, worker) once for every index below count, in no particular order, and returns when all are done.
  /// worker is below threads() and no two bodies with the same worker overlap; the caller is worker 0. If a body
  /// throws, skips indices not yet started and rethrows. A body must not use the pool it runs in.
  template <class Body>
  void for_each(std::size_t count, Body&& body) {
    if (threads_ == 1 || count <= 1) {
      for (std::size_t index = 0; index < count; ++index) body(index, 0);
      return;
    }
    using Plain = std::remove_reference_t<Body>;
    run(count, const_cast<void*>(static_cast<const void*>(std::addressof(body))),
        [](void* context, std::size_t index, int worker) { (*static_cast<Plain*>(context))(index, worker); });
  }

 private:
  using Function = void (*)(void* context, std::size_t index, int worker);

  void run(std::size_t count, void* context, Function function);
  void claim_indices(int worker);
  void serve(int worker);
  void leave();
  void stop();
  template <class Ready>
  void wait_until(Ready ready);

  int threads_;
  bool spins_;
  std::mutex caller_mutex_;

  // The current job: written by the caller while the gate is closed and no worker is inside.
  Function function_ = nullptr;
  void* context_ = nullptr;
  std::size_t count_ = 0;
  std::exception_ptr failure_;

  alignas(64) std::atomic<std::size_t> next_{0};
  std::atomic<bool> has_failed_{false};
  // Which job it is (upper bits), whether workers may still join it (one bit), and how many are inside (lower bits). A
  // worker that wakes up late finds the gate closed and goes back to sleep: the caller never waits for sleepers.
  alignas(64) std::atomic<std::uint32_t> gate_{0};
  std::atomic<bool> is_stopping_{false};

  std::vector<std::thread> workers_;
};

}  // namespace sgmcmc
