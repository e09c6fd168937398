// Work that Ctrl-C ends: on a thread of its own, while the caller looks for signals.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <future>
#include <utility>

namespace sgmcmc::python {

/// Runs work(interrupt), which must not touch Python; the flag is set once there is a signal that raises. What the work
/// throws is thrown here.
template <class Work>
auto interruptible(Work&& work) {
  std::atomic<bool> interrupt{false};
  const nanobind::gil_scoped_release release;
  auto result = std::async(std::launch::async, [&] { return work(&interrupt); });
  while (result.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
    const nanobind::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) {
      PyErr_Clear();  // the caller hears of it by what the work returns
      interrupt = true;
    }
  }
  return result.get();
}

}  // namespace sgmcmc::python
