// Data: rows of named columns, real, integer or sparse, packed for random access or borrowed from the caller.
#pragma once

#include <sgmcmc/shape.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sgmcmc {

enum class Precision : std::uint8_t { float64, float32 };
enum class ColumnKind : std::uint8_t { real, integer, sparse };

/// A sparse column in compressed-row form: row i has entries row_start[i] .. row_start[i+1].
struct SparseRows {
  std::span<const std::int64_t> row_start;  ///< rows + 1 entries, from 0, non-decreasing
  std::span<const std::int32_t> column;     ///< 0-based
  std::span<const double> value;
  std::int64_t columns = 0;
};

class DatasetStore;  // src/data/store.hpp
class RowPages;      // src/data/row_pages.hpp

/// Immutable rows; copies share the same memory.
class Dataset {
 public:
  class Builder;

  Dataset() = default;  ///< no rows, no columns: for models without data
  std::int64_t rows() const;
  bool has_column(const std::string& name) const;
  ColumnKind column_kind(const std::string& name) const;  ///< throws DataError suggesting similar names
  const Shape& row_shape(const std::string& name) const;
  std::vector<std::string> column_names() const;
  std::size_t memory_bytes() const;  ///< owned memory, without borrowed columns

  bool in_random_order() const;  ///< any consecutive rows are a random sample

  const DatasetStore& store() const;  ///< an empty store if there are no data
  explicit operator bool() const { return store_ != nullptr; }

 private:
  std::shared_ptr<const DatasetStore> store_;
};

/// Collects columns, then packs them: all columns of a row side by side, padded to cache lines, on huge pages; integers
/// take 8, 16 or 32 bits, by their range, if that makes rows shorter. The spans given to real(), integer() and sparse()
/// must live until build(); those given to borrow_*() as long as the data set.
class Dataset::Builder {
 public:
  /// Storage precision of packed real columns.
  explicit Builder(Precision precision = Precision::float64);
  ~Builder();
  Builder(Builder&&) noexcept;

  // values: row-major, rows x row_shape.size(). build() rejects NaN and infinities.
  Builder& real(std::string name, std::span<const double> values, Shape row_shape = {});
  Builder& real(std::string name, std::span<const float> values, Shape row_shape = {});
  /// values: column-major, the rows running fastest and the last index slowest, as R and Fortran store arrays.
  Builder& real_by_column(std::string name, std::span<const double> values, Shape row_shape = {});
  Builder& integer(std::string name, std::span<const std::int32_t> values, Shape row_shape = {});
  Builder& integer(std::string name, std::span<const std::int64_t> values, Shape row_shape = {});
  Builder& sparse(std::string name, const SparseRows& rows);

  // Not copied: read in place for the life of the data set. row_stride in elements (0: rows are contiguous).
  Builder& borrow_real(std::string name, std::span<const double> values, Shape row_shape = {},
                       std::int64_t row_stride = 0);
  Builder& borrow_real(std::string name, std::span<const float> values, Shape row_shape = {},
                       std::int64_t row_stride = 0);
  Builder& borrow_integer(std::string name, std::span<const std::int32_t> values, Shape row_shape = {},
                          std::int64_t row_stride = 0);
  Builder& borrow_integer(std::string name, std::span<const std::int8_t> values, Shape row_shape = {});
  Builder& borrow_integer(std::string name, std::span<const std::uint8_t> values, Shape row_shape = {});
  Builder& borrow_integer(std::string name, std::span<const std::int16_t> values, Shape row_shape = {});
  Builder& borrow_sparse(std::string name, const SparseRows& rows);

  /// Keeps an owner of borrowed memory alive as long as the data set.
  Builder& keep(std::shared_ptr<const void> owner);

  /// Called by build(), concurrently, after packing these rows: they are not read again, so their source memory may be
  /// released.
  Builder& when_packed(std::function<void(std::int64_t first, std::int64_t count)> released);

  /// Declares that the rows are in random order, so that minibatches may be consecutive rows.
  Builder& in_random_order();
  /// Declares that borrowed columns hold finite numbers only: build() does not read them to check.
  Builder& without_checks();
  /// Declares that the 64 bytes after the end of every borrowed column are readable, so that rows can be read in whole
  /// SIMD vectors.
  Builder& padded();
  /// Releases pages of mapped files once too many have been read; null: never releases them.
  Builder& paged(std::shared_ptr<RowPages> pages);

  /// Checks that every column has the same number of rows and packs. Throws DataError.
  Dataset build();

 private:
  struct Pending;
  std::unique_ptr<Pending> pending_;
};

}  // namespace sgmcmc
