// Sends the rows of a column to random blocks of a file, in memory that does not grow with the rows.
#pragma once

#include "base/permutation.hpp"
#include "data/row_files/format.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sgmcmc {

/// A file of one number of 32 bits for each row.
struct NumbersOnDisk {
  int descriptor = -1;
  std::string path;

  void read(std::uint64_t first_row, std::span<std::uint32_t> numbers) const;
  void write(std::uint64_t first_row, std::span<const std::uint32_t> numbers) const;
};

/// The blocks to which rows go, in the order of rows: by a keyed permutation, or by the places of rows in the file.
/// Every block gets exactly its rows.
class BlockOrder {
 public:
  /// places: null for the permutation.
  BlockOrder(const RowFileLayout& layout, const NumbersOnDisk* places);
  void fill(std::uint64_t first_row, std::span<std::uint32_t> blocks) const;

 private:
  Permutation order_;
  const NumbersOnDisk* places_;
  std::uint32_t block_rows_;
};

/// Rows are given in their order, each with its block; it goes behind those that are there already.
class ColumnScatter {
 public:
  /// buffer_bytes: for all blocks together, at least one row each.
  ColumnScatter(int descriptor, std::string path, const RowFileLayout& layout, const RowFileColumn& column,
                std::size_t buffer_bytes);

  /// Rows of these blocks are in the file already.
  void skip(std::span<const std::uint32_t> blocks);
  /// One row for each block named.
  void add(const std::byte* rows, std::span<const std::uint32_t> blocks);
  void flush();  ///< all that was added is in the file

 private:
  template <std::size_t bytes>  // of a row; 0: any number
  void add_rows(const std::byte* rows, std::span<const std::uint32_t> blocks);
  void write(std::uint64_t block);

  int descriptor_;
  std::string path_;
  std::uint64_t offset_, block_rows_;
  std::size_t row_bytes_, room_;        // bytes of a row; rows of a buffer
  std::vector<std::uint32_t> held_;     // rows in the buffer, by block
  std::vector<std::uint64_t> written_;  // rows in the file, by block
  std::vector<std::byte> buffers_;
};

/// The same permutation of the rows of a block for every column. Throws FileError.
Permutation order_of_rows(const RowFileLayout& layout);
Permutation order_within_block(const RowFileLayout& layout, std::uint64_t block);

/// Throws FileError that says why, and what to do where the disk is full. code: of errno.
[[noreturn]] void refuse_writing(const std::string& path, int code);
void write_at(int descriptor, const std::string& path, const void* bytes, std::size_t count, std::uint64_t offset);
void read_at(int descriptor, const std::string& path, void* bytes, std::size_t count, std::uint64_t offset);

}  // namespace sgmcmc
