// A file seen as memory: its pages are read when they are touched, and can be let go again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace sgmcmc {

/// Read only. The file must not be changed or cut while it is mapped: cutting it ends the program,
/// with a message where end_when_a_file_is_lost() was called.
class MappedFile {
 public:
  /// Throws DataError where the file cannot be opened or mapped.
  explicit MappedFile(const std::string& path);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  const std::string& path() const { return path_; }
  /// At least a page of zeros behind them can be read, too.
  std::span<const std::byte> bytes() const { return {data_, size_}; }

  /// Asks for the pages with these bytes; the system reads them while the program goes on.
  void want(std::size_t first, std::size_t count) const;
  /// Lets the whole pages within these bytes go: they no longer count as memory of the program, and come from the
  /// system's cache, or the disk, when they are touched again.
  void release(std::size_t first, std::size_t count) const;
  /// Whether a page that is touched and not in memory is read alone, or with many around it. At first: with others.
  void expect_random_access(bool random) const;

 private:
  void* map(int descriptor) const;
  std::size_t mapped_bytes() const;

  std::string path_;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace sgmcmc
