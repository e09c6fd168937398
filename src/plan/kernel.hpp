// What an instruction becomes when it is bound to memory: a kernel run once per tile of rows (or once, for global
// values).
#pragma once

#include "data/store.hpp"
#include "minibatch/row_batch.hpp"
#include "plan/program.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace sgmcmc {

/// Asks for rows shortly before their turn: while a tile is worked on, the rows of the next one, at the end of a batch
/// the first rows of the next batch. So near ahead that they stay in the first-level cache until then.
class Prefetcher {
 public:
  /// For the rows [from, to) of the batch; their first tile has been asked for at the end of the batch before, as that
  /// of the next batch will be at the end of this one.
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
    end_ = batch.indices ? to + std::min(ahead, tile_rows) : 0;
  }
  void stop() { end_ = limit_ = 0; }

  /// A tile ending at `position` of the batch is about to be worked on.
  void begin_tile(std::uint32_t position) { limit_ = std::min(position + tile_rows_, end_); }
  /// Asks for `rows` more rows of the next tile, if any are left.
  void advance(std::uint32_t rows) {
    for (; rows > 0 && next_ < limit_; --rows, ++next_) {
      const std::uint32_t row = next_ < to_ ? batch_->indices[next_] : batch_->next_indices[from_ + (next_ - to_)];
      for (std::size_t b = 0; b < block_count_; ++b) {
        const std::byte* at = blocks_[b].base + row * blocks_[b].stride_bytes;
        for (std::size_t byte = 0; byte < blocks_[b].used_bytes; byte += 64) __builtin_prefetch(at + byte);
      }
    }
  }
  void end_tile() { advance(tile_rows_); }

 private:
  const RowBatch* batch_ = nullptr;
  const RowBlock* blocks_ = nullptr;
  std::size_t block_count_ = 0;
  std::uint32_t tile_rows_ = 0;
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
};

/// Where a kernel finds an operand. Global: contiguous elements. Per-row: component c is a lane array at
/// data + c * component_stride.
template <class Real>
struct Operand {
  Real* data = nullptr;
  std::int64_t size = 1;
  std::int64_t component_stride = 1;
  bool per_row = false;
  const ColumnView* column = nullptr;  ///< set when the operand is row data, read in place or as well as loaded
  bool in_place = false;               ///< only `column` is valid
};

}  // namespace sgmcmc
