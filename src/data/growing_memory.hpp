// Memory for arrays whose length is not known yet: it grows without ever holding the values twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace sgmcmc {

/// Bytes that keep their content when they grow or shrink. From 64 KiB on, they are whole pages, which are moved by
/// remapping and not by copying; pages never written take no memory, so a generous capacity costs nothing.
class PagedMemory {
 public:
  PagedMemory() = default;
  PagedMemory(PagedMemory&& other) noexcept { swap(other); }
  PagedMemory& operator=(PagedMemory&& other) noexcept {
    PagedMemory taken(std::move(other));
    swap(taken);
    return *this;
  }
  PagedMemory(const PagedMemory&) = delete;
  PagedMemory& operator=(const PagedMemory&) = delete;
  ~PagedMemory();

  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }
  std::size_t capacity() const { return capacity_; }

  /// Ensures at least this many bytes; new ones are zero. If it throws std::bad_alloc, nothing has changed.
  void reserve(std::size_t bytes);
  /// Releases memory beyond this many bytes.
  void shrink(std::size_t bytes);
  /// Releases the whole pages within these bytes, which then read as zero.
  void release(std::size_t begin, std::size_t end);

  void swap(PagedMemory& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(capacity_, other.capacity_);
    std::swap(is_mapped_, other.is_mapped_);
  }

 private:
  std::byte* data_ = nullptr;
  std::size_t capacity_ = 0;
  bool is_mapped_ = false;
};

/// An owning array of plain values in such memory.
template <class T>
class GrowingMemory {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  GrowingMemory() = default;
  GrowingMemory(GrowingMemory&& other) noexcept
      : memory_(std::move(other.memory_)), size_(std::exchange(other.size_, 0)) {}
  GrowingMemory& operator=(GrowingMemory&& other) noexcept {
    memory_ = std::move(other.memory_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }

  T* data() { return reinterpret_cast<T*>(memory_.data()); }
  const T* data() const { return reinterpret_cast<const T*>(memory_.data()); }
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return memory_.capacity() / sizeof(T); }
  T& operator[](std::size_t i) { return data()[i]; }
  const T& operator[](std::size_t i) const { return data()[i]; }
  std::span<const T> span() const { return {data(), size_}; }

  void push_back(T value) {
    if (size_ == capacity()) grow_to(size_ + 1);
    data()[size_++] = value;
  }
  /// Makes room for this many values, at least doubling.
  void grow_to(std::size_t count) {
    if (count <= capacity()) return;
    const std::size_t doubled = capacity() > most() / 2 ? most() : 2 * capacity();
    reserve(count > doubled ? count : doubled);
  }
  void reserve(std::size_t count) {
    if (count > most()) throw std::bad_alloc();
    memory_.reserve(count * sizeof(T));
  }
  /// Values beyond the old size are unspecified: zero in memory never written.
  void resize(std::size_t count) {
    grow_to(count);
    size_ = count;
  }
  void shrink_to_fit() { memory_.shrink(size_ * sizeof(T)); }

  PagedMemory& memory() { return memory_; }
  const PagedMemory& memory() const { return memory_; }

  /// Takes over memory that already contains `count` values.
  static GrowingMemory adopt(PagedMemory memory, std::size_t count) {
    GrowingMemory result;
    result.memory_ = std::move(memory);
    result.size_ = count;
    return result;
  }

 private:
  static constexpr std::size_t most() { return std::numeric_limits<std::ptrdiff_t>::max() / 2 / sizeof(T); }

  PagedMemory memory_;
  std::size_t size_ = 0;
};

/// The same values in the other type, in the same memory.
GrowingMemory<double> widen(GrowingMemory<std::int32_t> integers);
/// Each value must be a whole number within 32 bits.
GrowingMemory<std::int32_t> narrow(GrowingMemory<double> reals);

}  // namespace sgmcmc
