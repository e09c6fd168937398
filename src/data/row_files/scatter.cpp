// One buffer for each block, written when it is full.
#include "data/row_files/scatter.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/random.hpp>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace sgmcmc {

namespace {

constexpr std::size_t places_at_once = 4096;

}  // namespace

Permutation order_of_rows(const RowFileLayout& layout) {
  return {static_cast<std::uint32_t>(layout.rows), {layout.key, 0, 0, Purpose::data}};
}

Permutation order_within_block(const RowFileLayout& layout, std::uint64_t block) {
  return {static_cast<std::uint32_t>(layout.rows_of_block(block)), {layout.key, 1, block, Purpose::data}};
}

void refuse_writing(const std::string& path, int code) {
  throw FileError("cannot write '" + path + "': " + std::strerror(code) +
                  (code == ENOSPC || code == EDQUOT || code == EFBIG
                       ? ". Make room and give the same command again: packing goes on where it stopped"
                       : ""));
}

void write_at(int descriptor, const std::string& path, const void* bytes, std::size_t count, std::uint64_t offset) {
  const char* from = static_cast<const char*>(bytes);
  while (count > 0) {
    const ssize_t now = ::pwrite(descriptor, from, count, static_cast<off_t>(offset));
    if (now < 0 && errno == EINTR) continue;
    if (now <= 0) refuse_writing(path, now < 0 ? errno : ENOSPC);
    from += now;
    count -= static_cast<std::size_t>(now);
    offset += static_cast<std::uint64_t>(now);
  }
}

void read_at(int descriptor, const std::string& path, void* bytes, std::size_t count, std::uint64_t offset) {
  char* to = static_cast<char*>(bytes);
  while (count > 0) {
    const ssize_t now = ::pread(descriptor, to, count, static_cast<off_t>(offset));
    if (now < 0 && errno == EINTR) continue;
    if (now <= 0)
      throw FileError("cannot read '" + path + "': " + (now < 0 ? std::strerror(errno) : "it ends too early") +
                      ". Remove it and pack again");
    to += now;
    count -= static_cast<std::size_t>(now);
    offset += static_cast<std::uint64_t>(now);
  }
}

ColumnScatter::ColumnScatter(int descriptor, std::string path, const RowFileLayout& layout, const RowFileColumn& column,
                             std::size_t buffer_bytes)
    : descriptor_(descriptor),
      path_(std::move(path)),
      offset_(column.offset),
      block_rows_(layout.block_rows),
      row_bytes_(column.row_bytes()),
      room_(std::max<std::size_t>(1, buffer_bytes / static_cast<std::size_t>(layout.blocks()) / row_bytes_)),
      order_(order_of_rows(layout)),
      held_(static_cast<std::size_t>(layout.blocks())),
      written_(held_.size()),
      buffers_(held_.size() * room_ * row_bytes_),
      places_(places_at_once) {}

void ColumnScatter::skip(std::uint64_t count) {
  while (count > 0) {
    const auto now = static_cast<std::size_t>(std::min<std::uint64_t>(count, places_at_once));
    order_.fill(static_cast<std::uint32_t>(next_), std::span(places_).first(now));
    for (std::size_t k = 0; k < now; ++k) ++written_[static_cast<std::size_t>(places_[k] / block_rows_)];
    next_ += now;
    count -= now;
  }
}

void ColumnScatter::add(const std::byte* rows, std::uint64_t count) {
  while (count > 0) {
    const auto now = static_cast<std::size_t>(std::min<std::uint64_t>(count, places_at_once));
    order_.fill(static_cast<std::uint32_t>(next_), std::span(places_).first(now));
    for (std::size_t k = 0; k < now; ++k, rows += row_bytes_) {
      const auto block = static_cast<std::size_t>(places_[k] / block_rows_);
      std::memcpy(buffers_.data() + (block * room_ + held_[block]) * row_bytes_, rows, row_bytes_);
      if (++held_[block] == room_) write(block);
    }
    next_ += now;
    count -= now;
  }
}

void ColumnScatter::write(std::uint64_t block) {
  const auto b = static_cast<std::size_t>(block);
  if (held_[b] == 0) return;
  write_at(descriptor_, path_, buffers_.data() + b * room_ * row_bytes_, held_[b] * row_bytes_,
           offset_ + (block * block_rows_ + written_[b]) * row_bytes_);
  written_[b] += held_[b];
  held_[b] = 0;
}

void ColumnScatter::flush() {
  for (std::uint64_t block = 0; block < held_.size(); ++block) write(block);
}

}  // namespace sgmcmc
