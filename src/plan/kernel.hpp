// Kernels: instructions bound to memory, run once per tile of rows (or once, for global values).
#pragma once

#include "base/pack.hpp"
#include "data/store.hpp"
#include "minibatch/row_batch.hpp"
#include "plan/program.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace sgmcmc {

/// Prefetches rows shortly before they are used: during a tile the rows of the next tile, and at the end of a batch the
/// first rows of the next batch, so that they are still in cache when needed. Also prefetches consecutive rows: the
/// hardware prefetcher follows these, but stops at every page boundary and while nothing is read.
class Prefetcher {
 public:
#if defined(__aarch64__)
  /// Prefetches into the second-level cache, which allows more outstanding requests: on a Neoverse V1, random rows of
  /// seven cache lines take 37 ns each, and 65 ns with prefetches into the first-level cache.
  static constexpr int cache_level = 2;
  static constexpr std::uint32_t tiles_further = 0;
#else
  static constexpr int cache_level = 1;
  /// Consecutive rows are prefetched this many tiles further ahead, and into the second-level cache.
  static constexpr std::uint32_t tiles_further = 2;
#endif

  /// Whether prefetching listed rows of this many bytes pays. An x86 processor issues the loads of many rows out of
  /// order, ahead of the instructions that wait for them. With large tiles and no prefetching, a Skylake-SP is 5 %
  /// faster for rows of 4 to 7 cache lines, and 6 % slower for rows of 2.
  static constexpr bool asks_for_listed(std::size_t row_bytes) { return cache_level == 2 || row_bytes <= 128; }

  /// Starts with the rows [from, to) of the batch. Their first tile was prefetched at the end of the previous batch,
  /// and the end of this batch prefetches that of the next.
  void start(const RowBatch& batch, const RowBlock* blocks, std::size_t block_count, std::uint32_t tile_rows,
             std::uint32_t from, std::uint32_t to) {
    batch_ = &batch;
    blocks_ = blocks;
    block_count_ = block_count;
    tile_rows_ = tile_rows;
    from_ = from;
    to_ = to;
    next_ = from + tile_rows;
    limit_ = 0;
    const std::uint32_t ahead = batch.next_indices && batch.next_count > from ? batch.next_count - from : 0;
    end_ = to + (batch.indices ? std::min(ahead, tile_rows) : 0);
  }
  void stop() { end_ = limit_ = 0; }

  /// Call before processing a tile that ends at `position` of the batch.
  void begin_tile(std::uint32_t position) {
    limit_ = std::min(position + tile_rows_, end_);
    if (cache_level == 2 && limit_ > next_ && batch_->indices) advance(tile_rows_);
  }
  /// kernels: the number of kernels that call visited() as they go through the rows of a tile.
  void share_among(std::uint32_t kernels) { share_ = (visited_rows + kernels - 1) / std::max(kernels, 1U); }
  /// Call when a kernel has processed `visited_rows` more rows: prefetches the kernel's share of as many rows of the
  /// next tile. If all were requested at once, prefetches into the first-level cache would queue up and delay the next
  /// kernels; the second-level cache accepts all listed rows at the start of a tile, but gains nothing for consecutive
  /// rows.
  void visited() { advance(share_); }
  void end_tile() { advance(tile_rows_); }
  static constexpr std::uint32_t visited_rows = 4;

 private:
  void advance(std::uint32_t rows) {
    if (next_ >= limit_) return;
    const std::uint32_t stop = limit_ - next_ < rows ? limit_ : next_ + rows;
    if (batch_->indices)
      ask_for_listed(next_, stop);
    else
      ask_for_stretch(next_ + tiles_further * tile_rows_, stop + tiles_further * tile_rows_);
    next_ = stop;
  }
  // Inline, because GCC assumes that a function that only prefetches has no effect, and removes calls of it.
  template <int level>
  static SGMCMC_INLINE void ask_for_line(const std::byte* at) {
    __builtin_prefetch(at, 0, 4 - level);
  }
  template <int level>
  static SGMCMC_INLINE void ask_for(const std::byte* at, const std::byte* end) {
    for (; at + 192 < end; at += 256) {  // prefetching a line that is already in cache costs only the loop
      ask_for_line<level>(at);
      ask_for_line<level>(at + 64);
      ask_for_line<level>(at + 128);
      ask_for_line<level>(at + 192);
    }
    for (; at < end; at += 64) ask_for_line<level>(at);
  }
  SGMCMC_INLINE void ask_for_listed(std::uint32_t next, std::uint32_t stop) const {
    for (; next < stop; ++next) {
      const std::uint32_t row = next < to_ ? batch_->indices[next] : batch_->next_indices[from_ + (next - to_)];
      for (const RowBlock* block = blocks_; block != blocks_ + block_count_; ++block) {
        const std::byte* at = block->base + row * block->stride_bytes;
        ask_for<cache_level>(at, at + block->used_bytes);
      }
    }
  }
  SGMCMC_INLINE void ask_for_stretch(std::uint32_t next, std::uint32_t stop) const {
    for (const RowBlock* block = blocks_; block != blocks_ + block_count_; ++block) {
      const std::size_t stride = block->stride_bytes;
      const std::byte* at = block->base + (batch_->first + next) * stride;
      if (stride < block->used_bytes + 64) {  // no unused cache lines between rows
        ask_for<2>(at, at + (stop - next) * stride);
      } else {
        for (std::uint32_t k = next; k < stop; ++k, at += stride) ask_for<2>(at, at + block->used_bytes);
      }
    }
  }

  const RowBatch* batch_ = nullptr;
  const RowBlock* blocks_ = nullptr;
  std::size_t block_count_ = 0;
  std::uint32_t tile_rows_ = 0;
  std::uint32_t share_ = visited_rows;
  std::uint32_t from_ = 0;
  std::uint32_t to_ = 0;
  std::uint32_t next_ = 0;
  std::uint32_t limit_ = 0;
  std::uint32_t end_ = 0;
};

/// The rows a kernel works on: `count` of them from `position` of the batch on. Lane arrays are `lanes` long: count
/// rounded up to whole packs, the lanes beyond count repeating the last row.
struct TileRows {
  const RowBatch* batch = nullptr;
  std::uint32_t position = 0;
  std::uint32_t count = 0;
  std::uint32_t lanes = 0;
  Prefetcher* prefetcher = nullptr;

  std::uint32_t row(std::uint32_t i) const { return batch->row(position + i); }
};

template <class Real>
class Kernel {
 public:
  virtual ~Kernel() = default;
  /// Before the first tile of a chunk of rows; sums over rows go to their offset in `sums`.
  virtual void begin(Real* sums) { (void)sums; }
  virtual void run(const TileRows& tile) = 0;
  virtual void end() {}  ///< after its last tile
  /// Whether run() reads all rows of a tile from the data set, and reports its progress to the prefetcher.
  virtual bool visits_rows() const { return false; }
};

/// Where a kernel finds an operand. Global: contiguous elements. Per-row: component c is a lane array at
/// data + c * component_stride.
template <class Real>
struct Operand {
  Real* data = nullptr;
  std::int64_t size = 1;
  std::int64_t component_stride = 1;
  bool per_row = false;
  const ColumnView* column = nullptr;  ///< set for row data, whether read in place or also loaded
  bool in_place = false;               ///< only `column` is valid
};

}  // namespace sgmcmc
