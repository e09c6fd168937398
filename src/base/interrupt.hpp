// Ends long computations once a flag is set.
#pragma once

#include <sgmcmc/error.hpp>

#include <atomic>

namespace sgmcmc {

/// flag: may be null.
inline bool is_interrupted(const std::atomic<bool>* flag) { return flag && flag->load(std::memory_order_relaxed); }

inline void throw_if_interrupted(const std::atomic<bool>* flag) {
  if (is_interrupted(flag)) throw InterruptedError();
}

}  // namespace sgmcmc
