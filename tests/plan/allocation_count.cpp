// Puts counting functions before those of glibc; a file of its own, so that the compiler does not see through it
// elsewhere.
#include "plan/allocation_count.hpp"

#include <atomic>
#include <cstddef>
#include <cstdlib>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SGMCMC_SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SGMCMC_SANITIZED
#endif

namespace {
std::atomic<std::uint64_t> allocations{0};
}

#if defined(__GLIBC__) && !defined(SGMCMC_SANITIZED)

extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* memory, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);

void* malloc(std::size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(bytes);
}
void* calloc(std::size_t count, std::size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_calloc(count, bytes);
}
void* realloc(void* memory, std::size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_realloc(memory, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_memalign(alignment, bytes);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  *memory = __libc_memalign(alignment, bytes);
  return *memory == nullptr ? 12 : 0;
}
}

namespace sgmcmc::testing {
bool can_count_allocations() { return true; }
}  // namespace sgmcmc::testing

#else

namespace sgmcmc::testing {
bool can_count_allocations() { return false; }
}  // namespace sgmcmc::testing

#endif

namespace sgmcmc::testing {
std::uint64_t allocation_count() { return allocations.load(std::memory_order_relaxed); }
}  // namespace sgmcmc::testing
