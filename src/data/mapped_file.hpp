// A memory-mapped file: its pages are read when they are accessed, and can be released again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace sgmcmc {

/// Read-only. The file must not be modified or truncated while it is mapped: truncating it ends the program, with a
/// message if end_when_a_file_is_lost() was called.
class MappedFile {
 public:
  /// Throws DataError if the file cannot be opened or mapped.
  explicit MappedFile(const std::string& path);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  const std::string& path() const { return path_; }
  /// At least one page of zeros after the end is readable.
  std::span<const std::byte> bytes() const { return {data_, size_}; }

  /// Requests the pages with these bytes; the system reads them in the background.
  void want(std::size_t first, std::size_t count) const;
  /// Releases the whole pages within these bytes: they no longer count as memory of the program, and are read again
  /// from the page cache or the disk when they are accessed.
  void release(std::size_t first, std::size_t count) const;
  /// Whether a page fault reads a single page, or also many pages around it. Initially the latter.
  void expect_random_access(bool random) const;

 private:
  void* map(int descriptor) const;
  std::size_t mapped_bytes() const;

  std::string path_;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace sgmcmc
