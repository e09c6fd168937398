// Which rows a pass visits: a stretch of consecutive rows, or a list of indices, with optional weights.
#pragma once

#include <cstdint>
#include <span>

namespace sgmcmc {

struct RowBatch {
  std::uint32_t first = 0;                      ///< used when indices is empty: rows [first, first + count)
  std::uint32_t count = 0;                      ///< number of rows
  const std::uint32_t* indices = nullptr;       ///< count row indices, or null for a consecutive stretch
  const double* weights = nullptr;              ///< count weights, or null for the same weight for all
  double uniform_weight = 1.0;                  ///< weight of every row where weights is null
  const std::uint32_t* next_indices = nullptr;  ///< rows of the next batch, to prefetch; may be null
  std::uint32_t next_count = 0;
  std::uint32_t next_first = 0;  ///< used when next_indices is null and next_count is not 0: the next batch's stretch

  std::uint32_t row(std::uint32_t position) const { return indices ? indices[position] : first + position; }
};

}  // namespace sgmcmc
