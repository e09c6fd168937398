// Counts the allocations of the test program it is linked into.
#pragma once

#include <cstdint>

namespace sgmcmc {

std::uint64_t allocation_count();

}  // namespace sgmcmc
