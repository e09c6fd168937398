// The allocation functions of this program: as the standard ones, and counting. In a file of their own, because
// compilers that see them inlined take free() of memory from new for a mistake.
#include "dynamics/allocations.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
std::atomic<std::size_t> allocations{0};
}

void* operator new(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace sgmcmc::testing {

std::size_t allocations_so_far() { return allocations.load(std::memory_order_relaxed); }

}  // namespace sgmcmc::testing
