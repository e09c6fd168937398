// Counts the allocations of the test program it is linked into, those by malloc (Eigen's) too.
#pragma once

#include <cstdint>

namespace sgmcmc::testing {

/// False under sanitizers, which have an allocator of their own, and without glibc.
bool can_count_allocations();
std::uint64_t allocation_count();

}  // namespace sgmcmc::testing
