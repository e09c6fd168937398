// How a row file is laid out: opening, dictionary, checksums, then one column after another, each in blocks of rows.
//
//   opening        16 bytes
//   size, checksum of the dictionary, 8 bytes each
//   dictionary     rows, rows of a block, key of the order, the column that tells the groups (third version only),
//                  columns (name, type, shape of a row, offset), constants
//   checksums      of every block of every column, column by column; then that of these checksums
//   columns        row-major, at multiples of 4096 bytes; what lies between is zero
//
// Numbers are as a little-endian machine has them. Rows are in random order: any stretch of them is a random sample. Or
// groups are in random order, and so are the rows of each group, which are kept together.
#pragma once

#include "data/array.hpp"
#include "data/store.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sgmcmc {

/// The second version has integers of 8 and 16 bits; a file without them is written in the first. In the third, the
/// rows of a group are kept together.
inline constexpr std::string_view row_file_opening{"sgmcmc rows 1\n\0\0", 16};
inline constexpr std::string_view narrow_row_file_opening{"sgmcmc rows 2\n\0\0", 16};
inline constexpr std::string_view grouped_row_file_opening{"sgmcmc rows 3\n\0\0", 16};
inline bool opens_row_file(std::string_view bytes) {
  return bytes.starts_with(row_file_opening) || bytes.starts_with(narrow_row_file_opening) ||
         bytes.starts_with(grouped_row_file_opening);
}
inline constexpr std::size_t row_file_alignment = 4096;

struct RowFileColumn {
  std::string name;
  StorageType type = StorageType::float64;  ///< any but sparse
  Shape row_shape;
  std::uint64_t offset = 0;  ///< of the first row in the file

  std::size_t row_bytes() const { return static_cast<std::size_t>(row_shape.size()) * storage_bytes(type); }
};

/// A variable that has nothing to do with rows.
struct RowFileConstant {
  std::string name;
  DataArray array;
};

struct RowFileLayout {
  std::uint64_t rows = 0;
  std::uint64_t block_rows = 1;
  std::uint64_t key = 0;  ///< of the random order
  std::string group_by;   ///< the integer column whose equal numbers are together; empty: rows are in random order
  std::vector<RowFileColumn> columns;
  std::vector<RowFileConstant> constants;
  // Found by place():
  std::uint64_t checksums_offset = 0;
  std::uint64_t file_bytes = 0;

  std::uint64_t row_bytes() const {  ///< of all columns
    std::uint64_t bytes = 0;
    for (const RowFileColumn& column : columns) bytes += column.row_bytes();
    return bytes;
  }
  std::uint64_t blocks() const { return (rows + block_rows - 1) / block_rows; }
  std::uint64_t rows_of_block(std::uint64_t block) const {
    return block + 1 < blocks() ? block_rows : rows - block * block_rows;
  }
  std::uint64_t checksums_bytes() const { return 8 * (blocks() * columns.size() + 1); }
  std::uint64_t checksum_offset(std::size_t column, std::uint64_t block) const {
    return checksums_offset + 8 * (column * blocks() + block);
  }

  /// Gives every part its place in the file.
  void place();
  /// Everything before the checksums.
  std::string head() const;
};

/// Reads and checks the head of a file. Throws DataError, whose message begins with the file's name.
RowFileLayout read_row_file_head(std::span<const std::byte> file, const std::string& name);

/// Of a block: every change of a single byte changes it.
std::uint64_t row_checksum(std::span<const std::byte> bytes);

}  // namespace sgmcmc
