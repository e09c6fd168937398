// Work that Ctrl-C can end: runs on a separate thread while the caller checks for signals.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <future>

namespace sgmcmc::python {

/// Runs work(interrupt), which must not use Python, to its end. If a signal raises an exception, sets the flag and
/// calls signalled(), which handles the exception.
template <class Work, class Signalled>
auto watched(std::atomic<bool>& interrupt, Work& work, Signalled signalled) {
  const nanobind::gil_scoped_release release;
  const std::atomic<bool>* flag = &interrupt;
  auto result = std::async(std::launch::async, [&work, flag] { return work(flag); });
  while (result.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
    const nanobind::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) {
      signalled();
      interrupt = true;
    }
  }
  return result;
}

/// For work that returns its results so far once the flag is set.
template <class Work>
auto interruptible(Work&& work) {
  std::atomic<bool> interrupt{false};
  return watched(interrupt, work, [] { PyErr_Clear(); }).get();
}

/// For work without partial results: throws the exception of the signal, KeyboardInterrupt, once the work has ended.
/// interrupt: the flag to set.
template <class Work>
auto interruptible_or_raise(std::atomic<bool>& interrupt, Work&& work) {
  std::exception_ptr raised;
  auto result = watched(interrupt, work, [&raised] {
    try {
      nanobind::raise_python_error();
    } catch (...) {
      if (!raised) raised = std::current_exception();
    }
  });
  if (raised) std::rethrow_exception(raised);
  return result.get();
}
template <class Work>
auto interruptible_or_raise(Work&& work) {
  std::atomic<bool> interrupt{false};
  return interruptible_or_raise(interrupt, work);
}

}  // namespace sgmcmc::python
