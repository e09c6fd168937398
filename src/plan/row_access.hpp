// Reading rows of the data set from kernels: dot products and weighted sums over rows in place, and row-major tile
// copies.
#pragma once

#include "base/memory.hpp"
#include "base/pack.hpp"
#include "data/store.hpp"
#include "plan/kernel.hpp"
#include "plan/matrix_product.hpp"

#include <algorithm>
#include <cstdint>

namespace sgmcmc {

/// A tile of a dense column as a row-major matrix: in place if the numbers have the right precision, else a copy, made
/// once per tile and shared by all kernels that need it.
template <class Real>
class ColumnTile {
 public:
  ColumnTile(const ColumnView& column, int tile_rows)
      : column_(&column),
        width_(column.row_shape.size()),
        in_place_(column.type == (sizeof(Real) == 8 ? StorageType::float64 : StorageType::float32) &&
                  column.stride_bytes % sizeof(Real) == 0),
        copy_(in_place_ ? 0 : static_cast<std::size_t>(tile_rows) * static_cast<std::size_t>(width_)) {}

  void forget() { valid_ = false; }

  MatrixView<Real> rows(const TileRows& tile) {
    if (in_place_) {
      const auto stride = static_cast<std::int64_t>(column_->stride_bytes / sizeof(Real));
      if (const std::uint32_t* indices = tile.batch->indices)
        return {reinterpret_cast<const Real*>(column_->base), stride, true, indices + tile.position};
      return {reinterpret_cast<const Real*>(column_->row(tile.row(0))), stride, true, nullptr};
    }
    if (!valid_) {
      if (column_->type == StorageType::float64)
        copy_rows<double>(tile);
      else
        copy_rows<float>(tile);
      valid_ = true;
    }
    return {copy_.data(), width_, true, nullptr};
  }

 private:
  template <class Source>
  void copy_rows(const TileRows& tile) {
    const std::int64_t bytes = std::min<std::int64_t>(width_ * static_cast<std::int64_t>(sizeof(Source)), 512);
    for (std::uint32_t i = 0; i < tile.count; ++i) {
      // Prefetches the start of a row a few rows ahead; the hardware prefetcher continues from there.
      const std::byte* ahead = column_->row(tile.row(std::min(i + 4, tile.count - 1)));
      for (std::int64_t byte = 0; byte < bytes; byte += 64) __builtin_prefetch(ahead + byte);
      const auto* from = reinterpret_cast<const Source*>(column_->row(tile.row(i)));
      Real* to = copy_.data() + static_cast<std::int64_t>(i) * width_;
      for (std::int64_t c = 0; c < width_; ++c) to[c] = static_cast<Real>(from[c]);
    }
  }

  const ColumnView* column_;
  std::int64_t width_;
  bool in_place_;
  AlignedBuffer<Real> copy_;
  bool valid_ = false;
};

/// out[i] = row i of the column . vector, for the rows of the tile.
template <class Real>
void dot_rows(const ColumnView& column, const TileRows& tile, const Real* vector, Real* out);

/// sums[c] += sum over the tile's rows of weight[i] * row_i[c], row by row in order.
template <class Real>
void add_weighted_rows(const ColumnView& column, const TileRows& tile, const Real* weight, Real* sums);

}  // namespace sgmcmc
