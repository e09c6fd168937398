// Counts whole windows of pages, because the system maps several pages around one that is accessed. Recent versions of
// Linux map up to 2 MB around it, so from time to time the count is compared with what the system says.
#include "data/row_pages.hpp"

#include "data/page_size.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace sgmcmc {

namespace {

constexpr std::size_t window_bytes = std::size_t{64} << 10;
constexpr std::size_t bytes_between_looks = std::size_t{4} << 20;

/// Bytes of files that are mapped into the memory of this process; 0 if the system does not say.
std::size_t resident_file_bytes() {
  const int descriptor = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return 0;
  char text[128];
  const ssize_t length = ::read(descriptor, text, sizeof text - 1);
  ::close(descriptor);
  if (length <= 0) return 0;
  text[length] = '\0';
  unsigned long long shared = 0;
  return std::sscanf(text, "%*u %*u %llu", &shared) == 1 ? static_cast<std::size_t>(shared) * page_bytes() : 0;
}

}  // namespace

void RowPages::add(std::shared_ptr<const MappedFile> file, const std::byte* first, std::size_t stride) {
  const auto offset = static_cast<std::size_t>(first - file->bytes().data());
  file->release(0, file->bytes().size());  // pages accessed earlier are not counted here
  file->read_only_what_is_asked();
  resident_before_.store(resident_file_bytes(), std::memory_order_relaxed);
  row_bytes_ += stride;
  columns_.push_back({std::move(file), offset, stride});
}

void RowPages::add_bytes(std::size_t bytes) {
  const std::size_t before = touched_.fetch_add(bytes, std::memory_order_relaxed), now = before + bytes;
  const bool is_full = now > most_bytes_ && before <= most_bytes_;  // for one thread only
  if (!is_full) {
    if (now / bytes_between_looks == before / bytes_between_looks) return;
    if (resident_file_bytes() <= resident_before_.load(std::memory_order_relaxed) + most_bytes_ / 2) return;
  }
  release();
  resident_before_.store(resident_file_bytes(), std::memory_order_relaxed);
  touched_.store(0, std::memory_order_relaxed);
}

void RowPages::release() const {
  for (const Column& column : columns_) {
    if (!keeps_some()) {
      column.file->release(0, column.file->bytes().size());
      continue;
    }
    // Other columns of the same file keep their rows, too: releases rows of this column only.
    const auto place = [&](std::uint64_t row) { return column.offset + static_cast<std::size_t>(row) * column.stride; };
    column.file->release(place(0), place(kept_first_) - place(0));
    column.file->release(place(kept_end_), place(rows_) - place(kept_end_));
  }
}

void RowPages::keep(std::uint64_t first, std::uint64_t end, std::uint64_t rows) {
  kept_first_ = first;
  kept_end_ = end;
  rows_ = rows;
}

std::uint64_t RowPages::count_not_kept(std::uint64_t first, std::uint64_t count) const {
  const std::uint64_t begin = std::max(first, kept_first_), end = std::min(first + count, kept_end_);
  return end > begin ? count - (end - begin) : count;
}

std::uint64_t RowPages::count_not_kept(std::span<const std::uint32_t> rows) const {
  if (!keeps_some()) return rows.size();
  return static_cast<std::uint64_t>(
      std::ranges::count_if(rows, [&](std::uint32_t row) { return row < kept_first_ || row >= kept_end_; }));
}

void RowPages::visited(std::uint64_t rows, std::uint64_t not_kept) {
  meter_.add(rows);
  if (not_kept > 0) add_bytes(static_cast<std::size_t>(not_kept) * row_bytes_ + columns_.size() * window_bytes);
}

void RowPages::visited_anywhere(std::uint64_t rows, std::uint64_t not_kept) {
  meter_.add(rows);
  add_bytes(static_cast<std::size_t>(not_kept) * columns_.size() * window_bytes);
}

const RowPages::Column* RowPages::column_at(const std::byte* first) const {
  const auto found = std::find_if(columns_.begin(), columns_.end(), [&](const Column& column) {
    return column.file->bytes().data() + column.offset == first;
  });
  return found == columns_.end() ? nullptr : &*found;
}

void RowPages::read(const Column& column, std::uint64_t first, std::uint64_t count, std::byte* to) {
  const bool was_cached = column.file->read(column.offset + static_cast<std::size_t>(first) * column.stride,
                                            {to, static_cast<std::size_t>(count) * column.stride});
  const std::uint32_t left = reads_with_requests_.load(std::memory_order_relaxed);
  if (!was_cached)
    reads_with_requests_.store(cached_reads, std::memory_order_relaxed);
  else if (left > 0)
    reads_with_requests_.store(left - 1, std::memory_order_relaxed);
}

void RowPages::want(std::uint64_t first, std::uint64_t count) const {
  if (reads_with_requests_.load(std::memory_order_relaxed) == 0) return;
  if (count_not_kept(first, count) == 0) return;  // in memory after the first pass
  for (const Column& column : columns_)
    column.file->want(column.offset + static_cast<std::size_t>(first) * column.stride,
                      static_cast<std::size_t>(count) * column.stride);
}

}  // namespace sgmcmc
