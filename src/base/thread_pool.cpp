// The thread pool: one atomic word announces jobs, another hands out indices.
#include "base/thread_pool.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <sgmcmc/error.hpp>
#include <string>
#include <utility>

namespace sgmcmc {

namespace {

constexpr std::uint32_t inside_mask = (1U << 11) - 1;
constexpr std::uint32_t open_bit = 1U << 11;
constexpr std::uint32_t job_unit = 1U << 12;
constexpr int most_threads = 1024;

// Loops of a sampler follow each other within tens of microseconds; waking a sleeping thread costs about as much.
constexpr std::chrono::microseconds spin_time{30};

inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

int hardware_threads() {
  const auto here = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  // Ranks on one machine share its processors, unless mpirun has given each its own.
  const char* ranks = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
  if (!ranks || here < ::sysconf(_SC_NPROCESSORS_ONLN)) return here;
  return std::max(1, here / std::max(1, std::atoi(ranks)));
}

ThreadPool::ThreadPool(int threads)
    : threads_(threads == 0 ? hardware_threads() : threads), spins_(threads_ <= hardware_threads()) {
  if (threads < 0 || threads > most_threads) {
    throw OptionError("threads = " + std::to_string(threads) + " is out of range: give a number from 1 to " +
                      std::to_string(most_threads) + ", or 0 for one per processor");
  }
  workers_.reserve(static_cast<std::size_t>(threads_ - 1));
  try {
    for (int worker = 1; worker < threads_; ++worker) workers_.emplace_back([this, worker] { serve(worker); });
  } catch (...) {  // out of threads: end those that started
    stop();
    throw;
  }
}

ThreadPool::~ThreadPool() { stop(); }

void ThreadPool::stop() {
  is_stopping_.store(true);
  gate_.fetch_add(job_unit);
  gate_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

/// Waits until ready(gate) holds: spins briefly, then sleeps until the gate changes.
template <class Ready>
void ThreadPool::wait_until(Ready ready) {
  if (spins_) {
    const auto deadline = std::chrono::steady_clock::now() + spin_time;
    do {
      for (int i = 0; i < 16; ++i) {
        if (ready(gate_.load(std::memory_order_acquire))) return;
        relax();
      }
    } while (std::chrono::steady_clock::now() < deadline);
  }
  for (std::uint32_t gate = gate_.load(std::memory_order_acquire); !ready(gate);
       gate = gate_.load(std::memory_order_acquire)) {
    gate_.wait(gate, std::memory_order_acquire);
  }
}

void ThreadPool::run(std::size_t count, void* context, Function function) {
  const std::lock_guard lock(caller_mutex_);
  function_ = function;
  context_ = context;
  count_ = count;
  next_.store(0, std::memory_order_relaxed);
  gate_.fetch_add(job_unit | open_bit, std::memory_order_release);
  gate_.notify_all();
  claim_indices(0);
  gate_.fetch_and(~open_bit, std::memory_order_acq_rel);
  wait_until([](std::uint32_t gate) { return (gate & inside_mask) == 0; });
  if (has_failed_.load(std::memory_order_relaxed)) {
    has_failed_.store(false, std::memory_order_relaxed);
    std::rethrow_exception(std::exchange(failure_, nullptr));
  }
}

void ThreadPool::claim_indices(int worker) {
  try {
    for (std::size_t index = next_.fetch_add(1, std::memory_order_relaxed); index < count_;
         index = next_.fetch_add(1, std::memory_order_relaxed)) {
      function_(context_, index, worker);
    }
  } catch (...) {
    next_.store(count_, std::memory_order_relaxed);
    if (!has_failed_.exchange(true, std::memory_order_relaxed)) failure_ = std::current_exception();
  }
}

void ThreadPool::serve(int worker) {
  std::uint32_t seen = 0;  // the last job this worker saw
  for (;;) {
    wait_until([&](std::uint32_t gate) {
      return is_stopping_.load(std::memory_order_relaxed) || (gate / job_unit != seen && (gate & open_bit) != 0);
    });
    if (is_stopping_.load(std::memory_order_relaxed)) return;
    std::uint32_t gate = gate_.load(std::memory_order_acquire);
    while ((gate & open_bit) != 0 && !gate_.compare_exchange_weak(gate, gate + 1, std::memory_order_acquire)) {
    }
    if ((gate & open_bit) == 0) continue;
    seen = gate / job_unit;
    claim_indices(worker);
    leave();
  }
}

void ThreadPool::leave() {
  const std::uint32_t before = gate_.fetch_sub(1, std::memory_order_release);
  // The caller sleeps only after closing the gate; notifying at every exit while it is open would be wasted.
  if ((before & open_bit) == 0 && (before & inside_mask) == 1) gate_.notify_all();
}

}  // namespace sgmcmc
