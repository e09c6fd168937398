// How columns lie in memory: what the kernels read. Everything is a base address and a stride.
#pragma once

#include "data/storage_type.hpp"

#include <sgmcmc/dataset.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sgmcmc {

struct RowShards;  // src/ranks/row_shards.hpp

/// Row i of a dense column starts at base + i * stride_bytes, its elements contiguous.
struct ColumnView {
  std::string name;
  ColumnKind kind = ColumnKind::real;
  StorageType type = StorageType::float64;
  Shape row_shape;
  const std::byte* base = nullptr;
  std::size_t stride_bytes = 0;
  /// 64 bytes may be read at and beyond the end of any row's elements without leaving mapped memory (packed columns,
  /// and those in mapped files).
  bool overread_safe = false;
  // sparse only:
  const std::int64_t* row_start = nullptr;
  const std::int32_t* sparse_column = nullptr;
  const double* sparse_value = nullptr;

  const std::byte* row(std::uint32_t index) const { return base + index * stride_bytes; }
  /// Of an integer column.
  std::int32_t integer(std::uint32_t index, std::int64_t element) const {
    return integer_at(type, row(index), element);
  }
};

/// A stretch of memory that random row access touches: for prefetching rows whose indices are known ahead.
struct RowBlock {
  const std::byte* base = nullptr;
  std::size_t stride_bytes = 0;
  std::size_t used_bytes = 0;  ///< of each row
};

class DatasetStore {
 public:
  std::int64_t rows() const { return rows_; }
  const std::vector<ColumnView>& columns() const { return columns_; }
  /// Throws DataError with the known names when absent.
  const ColumnView& column(const std::string& name) const;
  /// The blocks holding the given columns, each once and no wider than those columns need; packed columns, and borrowed
  /// ones interleaved in the same rows, share one block. Of a sparse column it is the row starts.
  std::vector<RowBlock> blocks(std::span<const std::string> names) const;
  std::size_t memory_bytes() const { return memory_bytes_; }
  bool in_random_order() const { return in_random_order_; }
  /// The integer column whose equal numbers are together, with the rows of each number in random order; empty text:
  /// such a column is not among these. Not set: rows are not grouped.
  const std::optional<std::string>& group_by() const { return group_by_; }
  /// Once, when the data are bound.
  void set_group_by(std::string column) const { group_by_ = std::move(column); }
  /// Whether rows come from mapped files and pages of these are let go: who visits rows then says so.
  RowPages* pages() const { return pages_.get(); }
  std::size_t borrowed_bytes() const { return borrowed_bytes_; }  ///< of columns read in place

  /// How sums over the rows are cut; null: they are not.
  const std::shared_ptr<const RowShards>& shards() const { return shards_; }
  /// Once, before anything is summed: a property of the run, not of the numbers.
  void set_shards(std::shared_ptr<const RowShards> shards) const { shards_ = std::move(shards); }

 private:
  friend class Dataset::Builder;
  std::int64_t rows_ = 0;
  std::vector<ColumnView> columns_;
  std::vector<std::shared_ptr<const void>> owned_;
  std::size_t memory_bytes_ = 0;
  mutable std::shared_ptr<const RowShards> shards_;
  std::size_t borrowed_bytes_ = 0;
  bool in_random_order_ = false;
  mutable std::optional<std::string> group_by_;
  std::shared_ptr<RowPages> pages_;
};

}  // namespace sgmcmc
