// Counts whole windows of pages, because the system maps several pages around one that is accessed.
#include "data/row_pages.hpp"

#include <chrono>

namespace sgmcmc {

namespace {

std::int64_t nanoseconds_now() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

constexpr std::size_t window_bytes = std::size_t{64} << 10;

}  // namespace

void RowPages::add(std::shared_ptr<const MappedFile> file, const std::byte* first, std::size_t stride) {
  const auto offset = static_cast<std::size_t>(first - file->bytes().data());
  file->release(0, file->bytes().size());  // pages accessed earlier are not counted here
  row_bytes_ += stride;
  columns_.push_back({std::move(file), offset, stride});
}

void RowPages::add_bytes(std::size_t bytes) {
  const std::size_t before = touched_.fetch_add(bytes, std::memory_order_relaxed);
  if (before + bytes <= most_bytes_ || before > most_bytes_) return;  // only one thread releases the pages
  for (const Column& column : columns_) column.file->release(0, column.file->bytes().size());
  touched_.store(0, std::memory_order_relaxed);
}

void RowPages::begin_pass(std::uint64_t rows) {
  pass_rows_.store(0);  // none, while the numbers are inconsistent
  pass_begin_.store(rows_visited());
  pass_start_.store(nanoseconds_now());
  pass_rows_.store(rows);
}

PassProgress RowPages::pass() const {
  PassProgress found;
  found.rows = pass_rows_.load();
  found.done = rows_visited() - pass_begin_.load();
  found.seconds = 1e-9 * static_cast<double>(nanoseconds_now() - pass_start_.load());
  found.bytes = static_cast<double>(found.rows) * static_cast<double>(row_bytes_);
  if (found.done < found.rows) found.name = name_.load();
  return found;
}

void RowPages::visited(std::uint64_t rows) {
  rows_visited_.fetch_add(rows, std::memory_order_relaxed);
  add_bytes(static_cast<std::size_t>(rows) * row_bytes_ + columns_.size() * window_bytes);
}

void RowPages::visited_anywhere(std::uint64_t rows) {
  rows_visited_.fetch_add(rows, std::memory_order_relaxed);
  add_bytes(static_cast<std::size_t>(rows) * columns_.size() * window_bytes);
}

void RowPages::ask_for(std::uint64_t first, std::uint64_t count, bool is_slice) {
  if (slices_.load(std::memory_order_relaxed) != is_slice && slices_.exchange(is_slice) != is_slice)
    for (const Column& column : columns_) column.file->expect_random_access(is_slice);
  for (const Column& column : columns_)
    column.file->want(column.offset + static_cast<std::size_t>(first) * column.stride,
                      static_cast<std::size_t>(count) * column.stride);
}

}  // namespace sgmcmc
