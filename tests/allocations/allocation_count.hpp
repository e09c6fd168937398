// Counts the allocations of the test program it is linked into.
#pragma once

#include <cstdint>

namespace sgmcmc::testing {

std::uint64_t allocation_count();
/// Whether allocations that do not go through operator new are counted too.
bool counts_malloc();

}  // namespace sgmcmc::testing
