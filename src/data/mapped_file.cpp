// Mapping, and advice to the system on what is needed next.
#include "data/mapped_file.hpp"

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
  void* const start = size_ == 0 ? nullptr : ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, descriptor, 0);
  const int reason = errno;
  ::close(descriptor);
  errno = reason;
  if (!known || start == MAP_FAILED) refuse("cannot be mapped into memory: ");
  data_ = static_cast<std::byte*>(start);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(data_, size_);
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
