// Limits the memory taken by rows that are read from mapped files.
#pragma once

#include "data/mapped_file.hpp"
#include "data/pass_meter.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace sgmcmc {

/// Counts the bytes that visited rows may have brought into memory, and releases all pages when these exceed the limit,
/// or when the process has half as much more of mapped files in memory; the system reads pages again when they are
/// needed, from its cache if possible. Thread-safe: pages that another thread is reading come back by themselves.
class RowPages {
 public:
  explicit RowPages(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  /// Adds the rows of a column: row i begins at `first` + i * stride in the file and has `stride` bytes.
  void add(std::shared_ptr<const MappedFile> file, const std::byte* first, std::size_t stride);

  /// The rows [first, end) of `rows` are those of this rank: they stay in memory once they have been read, and they
  /// alone are checked here. Only the others are counted and released. Call it before any row is visited.
  void keep(std::uint64_t first, std::uint64_t end, std::uint64_t rows);
  bool keeps_some() const { return kept_first_ < kept_end_; }
  std::uint64_t first_kept() const { return kept_first_; }
  std::uint64_t end_kept() const { return kept_end_; }
  /// How many of these rows are not kept.
  std::uint64_t count_not_kept(std::uint64_t first, std::uint64_t count) const;
  std::uint64_t count_not_kept(std::span<const std::uint32_t> rows) const;

  /// The maximum number of rows to visit between calls of visited().
  static constexpr std::uint32_t stretch_rows = 1U << 14;

  /// Reports that this many consecutive rows were read, of which so many are not kept.
  void visited(std::uint64_t rows, std::uint64_t not_kept);
  void visited(std::uint64_t rows) { visited(rows, rows); }
  /// Reports that this many rows were read, at random places.
  void visited_anywhere(std::uint64_t rows, std::uint64_t not_kept);
  /// Requests rows that will be read soon: the system begins to fetch them.
  void want(std::uint64_t first, std::uint64_t count) const;

  struct Column {
    std::shared_ptr<const MappedFile> file;
    std::size_t offset = 0;
    std::size_t stride = 0;
  };
  /// The column whose rows begin at `first`; null if there is none.
  const Column* column_at(const std::byte* first) const;
  std::span<const Column> columns() const { return columns_; }
  /// Copies rows of a column, which does not bring its pages into the memory of the program.
  void read(const Column& column, std::uint64_t first, std::uint64_t count, std::byte* to);

  /// Releases all pages of rows that are not kept.
  void release() const;

  /// Starts a pass over this many rows.
  void begin_pass(std::uint64_t rows) { meter_.begin(rows, static_cast<double>(row_bytes_)); }
  PassMeter& meter() { return meter_; }

  std::size_t most_bytes() const { return most_bytes_; }
  std::uint64_t rows_visited() const { return meter_.counted(); }

 private:
  void add_bytes(std::size_t bytes);

  std::size_t most_bytes_;
  std::size_t row_bytes_ = 0;
  std::vector<Column> columns_;
  std::uint64_t kept_first_ = 0, kept_end_ = 0, rows_ = 0;
  std::atomic<std::size_t> touched_{0};
  std::atomic<std::size_t> resident_before_{0};  ///< bytes of mapped files in memory after the last release
  /// Requests cost time. None are made once this many reads have found their rows in the page cache, until one has not.
  static constexpr std::uint32_t cached_reads = 1000;
  std::atomic<std::uint32_t> reads_with_requests_{cached_reads};
  PassMeter meter_{"reading the rows"};
};

/// Names passes during its lifetime. pages: null if rows are in memory.
class PassName {
 public:
  PassName(RowPages* pages, const char* name)
      : pages_(pages), earlier_(pages ? pages->meter().rename(name) : nullptr) {}
  PassName(const PassName&) = delete;
  PassName& operator=(const PassName&) = delete;
  ~PassName() {
    if (pages_) pages_->meter().rename(earlier_);
  }

 private:
  RowPages* pages_;
  const char* earlier_;
};

}  // namespace sgmcmc
