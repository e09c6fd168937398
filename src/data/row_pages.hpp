// Keeps rows that are read from mapped files within a share of memory.
#pragma once

#include "data/mapped_file.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace sgmcmc {

/// How far a pass over many rows has come.
struct PassProgress {
  const char* name = nullptr;  ///< null: none is under way
  std::uint64_t rows = 0, done = 0;
  double bytes = 0;  ///< of all its rows
  double seconds = 0;
};

/// Counts the bytes that rows visited may have brought into memory, and lets all pages go when these are more than
/// allowed; the system reads them again when they are needed, from its own cache where that has them. For any number of
/// threads: what a thread reads while pages are let go comes back by itself.
class RowPages {
 public:
  explicit RowPages(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  /// Rows of a column: row i stands at `first` + i * stride of the file, stride bytes long.
  void add(std::shared_ptr<const MappedFile> file, const std::byte* first, std::size_t stride);

  /// How many rows may be visited before visited() is told.
  static constexpr std::uint32_t stretch_rows = 1U << 14;

  /// These rows were read, one after another.
  void visited(std::uint64_t rows);
  /// So many rows were read, anywhere.
  void visited_anywhere(std::uint64_t rows);
  /// These rows are read soon: the system begins to fetch them.
  void want(std::uint64_t first, std::uint64_t count) { ask_for(first, count, false); }
  /// As want(), for a slice from anywhere: the system need not read what lies around it.
  void want_slice(std::uint64_t first, std::uint64_t count) { ask_for(first, count, true); }

  /// A pass over so many rows begins.
  void begin_pass(std::uint64_t rows);
  PassProgress pass() const;
  /// What passes are made for from now on; gives the earlier name.
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
  std::atomic<bool> slices_{false};  ///< what was asked for last
  std::atomic<const char*> name_{"reading the rows"};
  std::atomic<std::uint64_t> pass_rows_{0}, pass_begin_{0};  ///< rows_visited when it began
  std::atomic<std::int64_t> pass_start_{0};                  ///< nanoseconds of the steady clock
};

/// Names passes as long as it lives. pages: null where rows are in memory.
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
