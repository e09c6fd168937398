// Arrays for hot loops: aligned to cache lines (to huge pages if large), zeroed, readable one pack past the end.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace sgmcmc {

inline constexpr std::size_t cache_line_bytes = 64;
inline constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

namespace detail {

/// From this size, memory uses huge pages: otherwise every random row of a large table costs a page-table walk.
inline constexpr std::size_t huge_from_bytes = std::size_t{4} << 20;

/// bytes is a multiple of huge_page_bytes.
inline void* map_huge(std::size_t bytes) {
  // Maps one huge page more than requested, then unmaps the ends: mmap aligns to small pages only.
  const std::size_t mapped = bytes + huge_page_bytes;
  void* const start = ::mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) throw std::bad_alloc();
  char* const begin = static_cast<char*>(start);
  const std::size_t misfit = reinterpret_cast<std::uintptr_t>(begin) % huge_page_bytes;
  const std::size_t skipped = misfit == 0 ? 0 : huge_page_bytes - misfit;
  if (skipped != 0) ::munmap(begin, skipped);
  if (skipped != huge_page_bytes) ::munmap(begin + skipped + bytes, huge_page_bytes - skipped);
#if defined(MADV_HUGEPAGE)
  ::madvise(begin + skipped, bytes, MADV_HUGEPAGE);  // a hint: small pages are slower, but work
#endif
  return begin + skipped;
}

}  // namespace detail

/// An owning array of plain data, initially zero. At least 64 bytes past the end may be read (not written).
template <class T>
class AlignedBuffer {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  AlignedBuffer() = default;

  explicit AlignedBuffer(std::size_t count) : size_(count) {
    if (count == 0) return;
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max() / 2;
    if (count > (most - 2 * huge_page_bytes) / sizeof(T)) throw std::bad_alloc();
    const std::size_t needed = count * sizeof(T) + cache_line_bytes;
    const bool is_huge = needed >= detail::huge_from_bytes;
    const std::size_t unit = is_huge ? huge_page_bytes : cache_line_bytes;
    bytes_ = (needed + unit - 1) / unit * unit;
    if (is_huge) {
      data_ = static_cast<T*>(detail::map_huge(bytes_));
    } else {
      void* const memory = std::aligned_alloc(cache_line_bytes, bytes_);
      if (memory == nullptr) throw std::bad_alloc();
      std::memset(memory, 0, bytes_);
      data_ = static_cast<T*>(memory);
    }
  }

  AlignedBuffer(AlignedBuffer&& other) noexcept { swap(other); }
  AlignedBuffer& operator=(AlignedBuffer&& other) noexcept {
    AlignedBuffer taken(std::move(other));
    swap(taken);
    return *this;
  }
  AlignedBuffer(const AlignedBuffer&) = delete;
  AlignedBuffer& operator=(const AlignedBuffer&) = delete;

  ~AlignedBuffer() {
    if (bytes_ >= detail::huge_from_bytes) {
      ::munmap(static_cast<void*>(data_), bytes_);
    } else {
      std::free(static_cast<void*>(data_));
    }
  }

  void swap(AlignedBuffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(bytes_, other.bytes_);
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  std::span<T> span() { return {data_, size_}; }
  std::span<const T> span() const { return {data_, size_}; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace sgmcmc
