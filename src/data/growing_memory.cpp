// Allocates from the heap while small, then as pages that the kernel moves.
#include "data/growing_memory.hpp"

#include "base/memory.hpp"
#include "data/page_size.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace sgmcmc {

namespace {

constexpr std::size_t mapped_from_bytes = std::size_t{64} << 10;
// A huge page is allocated as a whole when its first byte is written, which would waste memory in small arrays.
constexpr std::size_t huge_pages_from_bytes = std::size_t{64} << 20;

std::size_t round_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

/// Reserves address space only, aligned to huge pages if the array is large enough.
std::byte* map_pages(std::size_t bytes) {
  const bool wants_huge = bytes >= huge_pages_from_bytes;
  const std::size_t asked = wants_huge ? bytes + huge_page_bytes : bytes;
  void* const start =
      ::mmap(nullptr, asked, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) throw std::bad_alloc();
  auto* begin = static_cast<std::byte*>(start);
  if (wants_huge) {
    const std::size_t misfit = reinterpret_cast<std::uintptr_t>(begin) % huge_page_bytes;
    const std::size_t skipped = misfit == 0 ? 0 : huge_page_bytes - misfit;
    if (skipped != 0) ::munmap(begin, skipped);
    begin += skipped;
    if (skipped != huge_page_bytes) ::munmap(begin + bytes, huge_page_bytes - skipped);
  }
  return begin;
}

void wish_for_huge_pages([[maybe_unused]] std::byte* begin, [[maybe_unused]] std::size_t bytes) {
#if defined(MADV_HUGEPAGE)
  if (bytes >= huge_pages_from_bytes) ::madvise(begin, bytes, MADV_HUGEPAGE);  // fewer page faults, where granted
#endif
}

}  // namespace

PagedMemory::~PagedMemory() {
  if (is_mapped_) {
    ::munmap(data_, capacity_);
  } else {
    std::free(data_);
  }
}

void PagedMemory::reserve(std::size_t bytes) {
  if (bytes <= capacity_) return;
  if (bytes < mapped_from_bytes) {
    const std::size_t rounded = round_up(bytes, cache_line_bytes);
    auto* const moved = static_cast<std::byte*>(std::realloc(data_, rounded));
    if (moved == nullptr) throw std::bad_alloc();
    std::memset(moved + capacity_, 0, rounded - capacity_);
    data_ = moved;
    capacity_ = rounded;
    return;
  }
  const std::size_t rounded = round_up(bytes, page_bytes());
  std::byte* const moved = map_pages(rounded);
  if (!is_mapped_) {
    if (capacity_ > 0) std::memcpy(moved, data_, capacity_);
    std::free(data_);
  } else if (::mremap(data_, capacity_, rounded, MREMAP_MAYMOVE | MREMAP_FIXED, moved) == MAP_FAILED) {
    ::munmap(moved, rounded);
    throw std::bad_alloc();
  }
  wish_for_huge_pages(moved, rounded);
  data_ = moved;
  capacity_ = rounded;
  is_mapped_ = true;
}

void PagedMemory::shrink(std::size_t bytes) {
  if (is_mapped_) {
    const std::size_t kept = std::max(round_up(bytes, page_bytes()), page_bytes());
    if (kept < capacity_ && ::munmap(data_ + kept, capacity_ - kept) == 0) capacity_ = kept;
  } else if (round_up(bytes, cache_line_bytes) < capacity_) {
    const std::size_t kept = std::max(round_up(bytes, cache_line_bytes), cache_line_bytes);
    if (auto* const moved = static_cast<std::byte*>(std::realloc(data_, kept)); moved != nullptr) {
      data_ = moved;
      capacity_ = kept;
    }
  }
}

void PagedMemory::release(std::size_t begin, std::size_t end) {
  if (!is_mapped_) return;
  begin = round_up(begin, page_bytes());
  end = std::min(end, capacity_) / page_bytes() * page_bytes();
  if (begin < end) ::madvise(data_ + begin, end - begin, MADV_DONTNEED);
}

GrowingMemory<double> widen(GrowingMemory<std::int32_t> integers) {
  const std::size_t count = integers.size();
  PagedMemory memory = std::move(integers.memory());
  memory.reserve(count * sizeof(double));
  std::byte* const bytes = memory.data();
  for (std::size_t i = count; i-- > 0;) {  // from the end: a real is written only over integers already read
    std::int32_t integer;
    std::memcpy(&integer, bytes + i * sizeof integer, sizeof integer);
    const double real = integer;
    std::memcpy(bytes + i * sizeof real, &real, sizeof real);
  }
  return GrowingMemory<double>::adopt(std::move(memory), count);
}

GrowingMemory<std::int32_t> narrow(GrowingMemory<double> reals) {
  const std::size_t count = reals.size();
  PagedMemory memory = std::move(reals.memory());
  std::byte* const bytes = memory.data();
  for (std::size_t i = 0; i < count; ++i) {
    double real;
    std::memcpy(&real, bytes + i * sizeof real, sizeof real);
    const auto integer = static_cast<std::int32_t>(real);
    std::memcpy(bytes + i * sizeof integer, &integer, sizeof integer);
  }
  memory.shrink(count * sizeof(std::int32_t));
  return GrowingMemory<std::int32_t>::adopt(std::move(memory), count);
}

}  // namespace sgmcmc
