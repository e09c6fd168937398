// Runs on separate threads, whose likelihood may be a Python function.
#pragma once

#include "service/run_handle.hpp"

#include <nanobind/nanobind.h>

#include <memory>
#include <utility>

namespace sgmcmc::python {

/// Dropping the last reference to a run waits for its thread, which may need the interpreter lock to end.
inline std::shared_ptr<RunHandle> run_in_background(std::size_t chains, RunHandle::Work work) {
  return {new RunHandle(chains, std::move(work)), [](RunHandle* handle) {
            handle->abort();
            {
              const nanobind::gil_scoped_release release;
              handle->join();
            }
            delete handle;
          }};
}

}  // namespace sgmcmc::python
