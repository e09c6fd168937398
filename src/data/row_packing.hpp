// Copies columns side by side into rows, and checks every value on the way, on several threads.
#pragma once

#include "data/store.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace sgmcmc {

enum class SourceType : std::uint8_t { float64, float32, int32, int64, int8, uint8, int16 };

/// Bytes of one number.
std::size_t source_bytes(SourceType type);

/// Moves the elements of one row from source to target; false when one of them is not finite or does not fit.
using MoveRow = bool (*)(const std::byte* source, std::byte* target, std::size_t elements);

/// For a column copied into rows of `type`.
MoveRow packing_move(SourceType source, StorageType type);
/// For a column read in place: checks, writes nothing.
MoveRow checking_move(SourceType source);

struct ColumnMove {
  const std::byte* source = nullptr;
  std::size_t source_stride = 0;  ///< bytes from row to row
  std::size_t elements = 0;       ///< of a row
  std::size_t offset = 0;         ///< in the packed row
  MoveRow move = nullptr;
  /// Of a column-major array: bytes from its begin to the first row of each element. Empty: the elements of a row lie
  /// side by side.
  std::vector<std::size_t> slices;
};

/// The slices of a column-major array, in the order of row-major elements; slice_bytes: of all rows of one element.
std::vector<std::size_t> column_slices(const Shape& row_shape, std::size_t slice_bytes);

struct RefusedValue {
  std::size_t column = 0;  ///< position in the list of moves
  std::int64_t row = 0;
};

/// Distance between packed rows of which `used` bytes are taken: whole cache lines, or a power of two where several
/// rows fit in one line.
std::size_t packed_stride(std::size_t used);

/// Moves all rows to target, `stride` bytes apart. Returns the first refused row, whatever the threads did. `moved`,
/// where it is given, is told of stretches of rows that are done with.
std::optional<RefusedValue> move_rows(std::span<const ColumnMove> moves, std::int64_t rows, std::byte* target,
                                      std::size_t stride,
                                      const std::function<void(std::int64_t first, std::int64_t count)>& moved = {});

}  // namespace sgmcmc
