// Memory for the hand-written loops: zeroed, aligned to 2 MiB and asked to lie on huge pages.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace sgmcmc::hand {

class HugeMemory {
 public:
  static constexpr std::size_t page = std::size_t{2} << 20;

  explicit HugeMemory(std::size_t bytes) : mapped_bytes_((bytes + 2 * page - 1) / page * page) {
    mapping_ = mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping_ == MAP_FAILED) throw std::bad_alloc();
    const auto address = reinterpret_cast<std::uintptr_t>(mapping_);
    data_ = static_cast<std::byte*>(mapping_) + ((address + page - 1) / page * page - address);
    // A hint only: without huge pages the loops are slower, not wrong.
    (void)madvise(data_, bytes, MADV_HUGEPAGE);
  }
  ~HugeMemory() {
    if (mapping_ != nullptr) munmap(mapping_, mapped_bytes_);
  }
  HugeMemory(HugeMemory&& other) noexcept
      : mapping_(std::exchange(other.mapping_, nullptr)), mapped_bytes_(other.mapped_bytes_), data_(other.data_) {}
  HugeMemory& operator=(HugeMemory&&) = delete;

  std::byte* data() const { return data_; }

 private:
  void* mapping_ = nullptr;
  std::size_t mapped_bytes_ = 0;
  std::byte* data_ = nullptr;
};

}  // namespace sgmcmc::hand
