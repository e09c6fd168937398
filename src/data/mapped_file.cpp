// Maps files, and advises the system which pages are needed next.
#include "data/mapped_file.hpp"

#include "data/lost_file.hpp"
#include "data/page_size.hpp"

#include <sgmcmc/error.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace sgmcmc {

MappedFile::MappedFile(const std::string& path) : path_(path) {
  const auto refuse = [&](const std::string& what) {
    throw DataError(path + ": " + what + std::strerror(errno) + ". Give the path of a data file that can be read");
  };
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) refuse("cannot be opened: ");
  struct stat status {};
  const bool known = ::fstat(descriptor_, &status) == 0;
  size_ = known ? static_cast<std::size_t>(status.st_size) : 0;
  void* const start = size_ == 0 ? nullptr : map();
  if (!known || start == MAP_FAILED) {
    const int reason = errno;
    ::close(descriptor_);
    errno = reason;
    refuse("cannot be mapped into memory: ");
  }
  data_ = static_cast<std::byte*>(start);
  if (data_ != nullptr) add_mapped_file(*this);
}

// The file is mapped over the beginning of a zero-filled region that is one page longer.
void* MappedFile::map() const {
  void* const place = ::mmap(nullptr, mapped_bytes(), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) return place;
  void* const start = ::mmap(place, size_, PROT_READ, MAP_SHARED | MAP_FIXED, descriptor_, 0);
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
  if (data_ != nullptr) {
    remove_mapped_file(*this);
    ::munmap(data_, mapped_bytes());
  }
  ::close(descriptor_);
}

// The system cuts a request to what it would read ahead. A length of 0 would mean the rest of the file.
void MappedFile::want(std::size_t first, std::size_t count) const {
  constexpr std::size_t piece = std::size_t{128} << 10;
  if (first >= size_) return;
  const std::size_t end = first + std::min(count, size_ - first);
  for (; first < end; first += std::min(piece, end - first))
    ::posix_fadvise(descriptor_, static_cast<off_t>(first), static_cast<off_t>(std::min(piece, end - first)),
                    POSIX_FADV_WILLNEED);
}

void MappedFile::release(std::size_t first, std::size_t count) const {
  const std::size_t begin = (first + page_bytes() - 1) / page_bytes() * page_bytes();
  const std::size_t end = std::min(first + count, size_) / page_bytes() * page_bytes();
  if (begin < end) ::madvise(data_ + begin, end - begin, MADV_DONTNEED);
}

bool MappedFile::read(std::size_t first, std::span<std::byte> to) const {
  std::size_t done = 0;
#if defined(RWF_NOWAIT)
  const iovec cached{to.data(), to.size()};
  if (const ssize_t now = ::preadv2(descriptor_, &cached, 1, static_cast<off_t>(first), RWF_NOWAIT); now > 0)
    done = static_cast<std::size_t>(now);
#endif
  const bool was_cached = done == to.size();
  while (done < to.size()) {
    const ssize_t now = ::pread(descriptor_, to.data() + done, to.size() - done, static_cast<off_t>(first + done));
    if (now < 0 && errno == EINTR) continue;
    if (now < 0 && errno == EINTR) continue;
    if (now <= 0) end_with_lost_file(*this);
    done += static_cast<std::size_t>(now);
  }
  return was_cached;
}

void MappedFile::read_only_what_is_asked() const { ::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_RANDOM); }

}  // namespace sgmcmc
