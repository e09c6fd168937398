// A memory-mapped file: its pages are read when they are accessed, and can be released again. Parts of it can also be
// copied without mapping pages, which costs less if they are used only once.
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
  /// Copies bytes from `first` on. Returns whether all of them were in the page cache.
  bool read(std::size_t first, std::span<std::byte> to) const;
  /// From now on, read() does not guess what is read next: want() says it.
  void read_only_what_is_asked() const;

 private:
  void* map() const;
  std::size_t mapped_bytes() const;

  std::string path_;
  int descriptor_ = -1;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace sgmcmc
