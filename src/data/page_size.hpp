// The size of a page of memory.
#pragma once

#include <unistd.h>

#include <cstddef>

namespace sgmcmc {

inline std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}

}  // namespace sgmcmc
