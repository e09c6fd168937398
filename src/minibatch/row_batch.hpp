// Which rows a pass visits: a stretch of consecutive rows, or a list of indices, with optional weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sgmcmc {

class RowPages;  // src/data/row_pages.hpp

/// Rows that were read from a file before the batch is visited.
struct ReadRows {
  const RowPages* pages = nullptr;        ///< to whose columns they belong
  std::vector<const std::byte*> columns;  ///< where row 0 of each column would be; only the rows of the batch are there

  /// Row `first` of a column is at this place.
  void place(std::size_t column, const std::byte* at, std::size_t first, std::size_t stride) {
    columns[column] = reinterpret_cast<const std::byte*>(reinterpret_cast<std::uintptr_t>(at) - first * stride);
  }
};

struct RowBatch {
  std::uint32_t first = 0;                      ///< used when indices is empty: rows [first, first + count)
  std::uint32_t count = 0;                      ///< number of rows
  const std::uint32_t* indices = nullptr;       ///< count row indices, or null for a consecutive stretch
  const double* weights = nullptr;              ///< count weights, or null for the same weight for all
  double uniform_weight = 1.0;                  ///< weight of every row where weights is null
  const std::uint32_t* next_indices = nullptr;  ///< rows of the next batch, to prefetch; may be null
  std::uint32_t next_count = 0;
  std::uint32_t next_first = 0;  ///< used when next_indices is null and next_count is not 0: the next batch's stretch

  const ReadRows* read = nullptr;  ///< the same rows in memory, if the data are in a file; may be null

  std::uint32_t row(std::uint32_t position) const { return indices ? indices[position] : first + position; }
};

}  // namespace sgmcmc
