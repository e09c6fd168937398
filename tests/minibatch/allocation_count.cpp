// Replaces operator new by one that counts; a file of its own, so that the compiler does not see through it elsewhere.
#include "minibatch/allocation_count.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
std::atomic<std::uint64_t> allocations{0};
}

void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes > 0 ? bytes : 1)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace sgmcmc {

std::uint64_t allocation_count() { return allocations; }

}  // namespace sgmcmc
