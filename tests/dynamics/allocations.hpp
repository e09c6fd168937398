// Counts the allocations of a test program.
#pragma once

#include <cstddef>

namespace sgmcmc::testing {

std::size_t allocations_so_far();

}  // namespace sgmcmc::testing
