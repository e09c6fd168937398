// Independent runs of an experiment, one on each processor.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#if defined(__linux__)
#include <sched.h>
#endif

namespace sgmcmc {

/// Those that this process may use: taskset may have left it some of them.
inline std::size_t own_processors() {
#if defined(__linux__)
  cpu_set_t own;
  if (sched_getaffinity(0, sizeof own, &own) == 0) return static_cast<std::size_t>(CPU_COUNT(&own));
#endif
  return std::max(1U, std::thread::hardware_concurrency());
}

/// Calls run(0), ..., run(count - 1), in any order. Rethrows the first exception after all have ended.
template <class Run>
void in_parallel(std::size_t count, const Run& run) {
  std::atomic<std::size_t> next = 0;
  std::exception_ptr failure;
  std::mutex guard;
  const auto work = [&] {
    for (std::size_t k = next++; k < count; k = next++) try {
        run(k);
      } catch (...) {
        const std::lock_guard lock(guard);
        if (!failure) failure = std::current_exception();
      }
  };
  const std::size_t workers = std::min(count, own_processors());
  std::vector<std::thread> threads;
  for (std::size_t k = 1; k < workers; ++k) threads.emplace_back(work);
  work();
  for (auto& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace sgmcmc
