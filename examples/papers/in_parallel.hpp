// Independent runs of an experiment, one on each processor.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace sgmcmc {

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
  const std::size_t workers = std::min<std::size_t>(count, std::max(1U, std::thread::hardware_concurrency()));
  std::vector<std::thread> threads;
  for (std::size_t k = 1; k < workers; ++k) threads.emplace_back(work);
  work();
  for (auto& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace sgmcmc
