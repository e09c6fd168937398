// One buffer for each block, written when it is full.
#include "data/row_files/scatter.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/random.hpp>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace sgmcmc {

Permutation order_of_rows(const RowFileLayout& layout) {
  return {static_cast<std::uint32_t>(layout.rows), {layout.key, 0, 0, Purpose::data}};
}

Permutation order_within_block(const RowFileLayout& layout, std::uint64_t block) {
  return {static_cast<std::uint32_t>(layout.rows_of_block(block)), {layout.key, 1, block, Purpose::data}};
}

BlockOrder::BlockOrder(const RowFileLayout& layout, const NumbersOnDisk* places)
    : order_(order_of_rows(layout)), places_(places), block_rows_(static_cast<std::uint32_t>(layout.block_rows)) {}

void BlockOrder::fill(std::uint64_t first_row, std::span<std::uint32_t> blocks) const {
  if (places_)
    places_->read(first_row, blocks);
  else
    order_.fill(static_cast<std::uint32_t>(first_row), blocks);
  for (std::uint32_t& place : blocks) place /= block_rows_;
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

void NumbersOnDisk::read(std::uint64_t first_row, std::span<std::uint32_t> numbers) const {
  read_at(descriptor, path, numbers.data(), numbers.size_bytes(), sizeof(std::uint32_t) * first_row);
}
void NumbersOnDisk::write(std::uint64_t first_row, std::span<const std::uint32_t> numbers) const {
  write_at(descriptor, path, numbers.data(), numbers.size_bytes(), sizeof(std::uint32_t) * first_row);
}

ColumnScatter::ColumnScatter(int descriptor, std::string path, const RowFileLayout& layout, const RowFileColumn& column,
                             std::size_t buffer_bytes)
    : descriptor_(descriptor),
      path_(std::move(path)),
      offset_(column.offset),
      block_rows_(layout.block_rows),
      row_bytes_(column.row_bytes()),
      room_(std::max<std::size_t>(1, buffer_bytes / static_cast<std::size_t>(layout.blocks()) / row_bytes_)),
      held_(static_cast<std::size_t>(layout.blocks())),
      written_(held_.size()),
      buffers_(held_.size() * room_ * row_bytes_) {}

void ColumnScatter::skip(std::span<const std::uint32_t> blocks) {
  for (const std::uint32_t block : blocks) ++written_[block];
}

template <std::size_t bytes>
void ColumnScatter::add_rows(const std::byte* rows, std::span<const std::uint32_t> blocks) {
  const std::size_t row = bytes > 0 ? bytes : row_bytes_;
  for (const std::uint32_t block : blocks) {
    std::memcpy(buffers_.data() + (block * room_ + held_[block]) * row, rows, row);
    rows += row;
    if (++held_[block] == room_) write(block);
  }
}

void ColumnScatter::add(const std::byte* rows, std::span<const std::uint32_t> blocks) {
  switch (row_bytes_) {
    case 4: return add_rows<4>(rows, blocks);
    case 8: return add_rows<8>(rows, blocks);
    default: add_rows<0>(rows, blocks);
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
