// Maps files, and advises the system which pages are needed next.
#include "data/mapped_file.hpp"

#include "data/lost_file.hpp"
#include "data/page_size.hpp"

#include <sgmcmc/error.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace sgmcmc {

MappedFile::MappedFile(const std::string& path) : path_(path) {
  const auto refuse = [&](const std::string& what) {
    throw DataError(path + ": " + what + std::strerror(errno) + ". Give the path of a data file that can be read");
  };
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) refuse("cannot be opened: ");
  struct stat status {};
  const bool known = ::fstat(descriptor, &status) == 0;
  size_ = known ? static_cast<std::size_t>(status.st_size) : 0;
  void* const start = size_ == 0 ? nullptr : map(descriptor);
  const int reason = errno;
  ::close(descriptor);
  errno = reason;
  if (!known || start == MAP_FAILED) refuse("cannot be mapped into memory: ");
  data_ = static_cast<std::byte*>(start);
  if (data_ != nullptr) add_mapped_file(*this);
}

// The file is mapped over the beginning of a zero-filled region that is one page longer.
void* MappedFile::map(int descriptor) const {
  void* const place = ::mmap(nullptr, mapped_bytes(), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) return place;
  void* const start = ::mmap(place, size_, PROT_READ, MAP_SHARED | MAP_FIXED, descriptor, 0);
  if (start != MAP_FAILED) return start;
  const int reason = errno;
  ::munmap(place, mapped_bytes());
  errno = reason;
  return start;
}

std::size_t MappedFile::mapped_bytes() const {
  return (size_ + page_bytes() - 1) / page_bytes() * page_bytes() + page_bytes();
}

MappedFile::~MappedFile() {
  if (data_ == nullptr) return;
  remove_mapped_file(*this);
  ::munmap(data_, mapped_bytes());
}

void MappedFile::want(std::size_t first, std::size_t count) const {
  if (first >= size_) return;
  const std::size_t begin = first / page_bytes() * page_bytes();
  ::madvise(data_ + begin, std::min(first + count, size_) - begin, MADV_WILLNEED);
}

void MappedFile::release(std::size_t first, std::size_t count) const {
  const std::size_t begin = (first + page_bytes() - 1) / page_bytes() * page_bytes();
  const std::size_t end = std::min(first + count, size_) / page_bytes() * page_bytes();
  if (begin < end) ::madvise(data_ + begin, end - begin, MADV_DONTNEED);
}

void MappedFile::expect_random_access(bool random) const {
  if (size_ > 0) ::madvise(data_, size_, random ? MADV_RANDOM : MADV_NORMAL);
}

}  // namespace sgmcmc
