// Limits the memory taken by rows that are read from mapped files.
#pragma once

#include "data/mapped_file.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace sgmcmc {

/// Progress of a pass over many rows.
struct PassProgress {
  const char* name = nullptr;  ///< null: there is no current pass
  std::uint64_t rows = 0, done = 0;
  double bytes = 0;  ///< of all its rows
  double seconds = 0;
};

/// Counts the bytes that visited rows may have brought into memory, and releases all pages when these exceed the limit;
/// the system reads pages again when they are needed, from its cache if possible. Thread-safe: pages that another
/// thread is reading come back by themselves.
class RowPages {
 public:
  explicit RowPages(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  /// Adds the rows of a column: row i begins at `first` + i * stride in the file and has `stride` bytes.
  void add(std::shared_ptr<const MappedFile> file, const std::byte* first, std::size_t stride);

  /// The maximum number of rows to visit between calls of visited().
  static constexpr std::uint32_t stretch_rows = 1U << 14;

  /// Reports that this many consecutive rows were read.
  void visited(std::uint64_t rows);
  /// Reports that this many rows were read, at random places.
  void visited_anywhere(std::uint64_t rows);
  /// Requests rows that will be read soon: the system begins to fetch them.
  void want(std::uint64_t first, std::uint64_t count) { ask_for(first, count, false); }
  /// As want(), for a slice at a random place: the system need not read around it.
  void want_slice(std::uint64_t first, std::uint64_t count) { ask_for(first, count, true); }

  /// Starts a pass over this many rows.
  void begin_pass(std::uint64_t rows);
  PassProgress pass() const;
  /// Sets the purpose of the following passes, for progress messages; returns the previous one.
  const char* name_passes(const char* name) { return name_.exchange(name); }

  std::size_t most_bytes() const { return most_bytes_; }
  std::uint64_t rows_visited() const { return rows_visited_.load(std::memory_order_relaxed); }

 private:
  struct Column {
    std::shared_ptr<const MappedFile> file;
    std::size_t offset = 0;
    std::size_t stride = 0;
  };
  void add_bytes(std::size_t bytes);
  void ask_for(std::uint64_t first, std::uint64_t count, bool is_slice);

  std::size_t most_bytes_;
  std::size_t row_bytes_ = 0;
  std::vector<Column> columns_;
  std::atomic<std::size_t> touched_{0};
  std::atomic<std::uint64_t> rows_visited_{0};
  std::atomic<bool> slices_{false};  ///< whether the last request was for a slice
  std::atomic<const char*> name_{"reading the rows"};
  std::atomic<std::uint64_t> pass_rows_{0}, pass_begin_{0};  ///< rows_visited when it began
  std::atomic<std::int64_t> pass_start_{0};                  ///< nanoseconds of the steady clock
};

/// Names passes during its lifetime. pages: null if rows are in memory.
class PassName {
 public:
  PassName(RowPages* pages, const char* name) : pages_(pages), earlier_(pages ? pages->name_passes(name) : nullptr) {}
  PassName(const PassName&) = delete;
  PassName& operator=(const PassName&) = delete;
  ~PassName() {
    if (pages_) pages_->name_passes(earlier_);
  }

 private:
  RowPages* pages_;
  const char* earlier_;
};

}  // namespace sgmcmc
