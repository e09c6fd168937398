// Arrays as read from files or lent by a caller: real, integer or sparse, immutable, shared by their copies. Memory of
// their own can be given back.
#pragma once

#include "data/growing_memory.hpp"
#include "data/storage_type.hpp"

#include <sgmcmc/dataset.hpp>
#include <sgmcmc/shape.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace sgmcmc {

class MappedFile;

/// In which order an array has its rows.
enum class RowOrder : std::uint8_t {
  given,     ///< that of the user
  random,    ///< of a row file
  by_group,  ///< of a row file that keeps the rows of a group together, in random order
  groups     ///< the same, and this array tells the groups
};

class DataArray {
 public:
  DataArray();  ///< integer, of shape [0]: an empty array fits every declared type

  /// Values are row-major, shape.size() of them.
  DataArray(GrowingMemory<double> values, Shape shape);
  DataArray(GrowingMemory<std::int32_t> values, Shape shape);
  /// Compressed rows: row_start has rows + 1 entries, columns are 0-based and below `columns`.
  DataArray(GrowingMemory<std::int64_t> row_start, GrowingMemory<std::int32_t> column, GrowingMemory<double> value,
            std::int64_t columns);

  static DataArray copy_of(std::span<const double> values, Shape shape);
  static DataArray copy_of(std::span<const std::int32_t> values, Shape shape);
  /// Values that live elsewhere, as long as the owner does. Single precision counts as real.
  static DataArray lent(std::span<const double> values, Shape shape, std::shared_ptr<const void> owner);
  static DataArray lent(std::span<const float> values, Shape shape, std::shared_ptr<const void> owner);
  static DataArray lent(std::span<const std::int32_t> values, Shape shape, std::shared_ptr<const void> owner);
  static DataArray lent(std::span<const std::int8_t> values, Shape shape, std::shared_ptr<const void> owner);
  static DataArray lent(std::span<const std::uint8_t> values, Shape shape, std::shared_ptr<const void> owner);
  static DataArray lent(std::span<const std::int16_t> values, Shape shape, std::shared_ptr<const void> owner);
  /// Values that stand in a mapped file, which then is their owner. order: any but `given` if they are from a row file,
  /// and were checked when it was written.
  template <class Value>
  static DataArray in_file(std::span<const Value> values, Shape shape, std::shared_ptr<const MappedFile> file,
                           RowOrder order = RowOrder::given) {
    DataArray array = lent(values, std::move(shape), file);
    array.file_ = std::move(file);
    array.order_ = order;
    return array;
  }
  const std::shared_ptr<const MappedFile>& file() const { return file_; }  ///< null: not in a mapped file
  RowOrder order() const { return order_; }
  bool is_packed() const { return order_ != RowOrder::given; }  ///< from a row file
  static DataArray scalar(double value) { return copy_of(std::span(&value, 1), Shape{}); }
  static DataArray scalar(std::int32_t value) { return copy_of(std::span(&value, 1), Shape{}); }

  bool is_real() const;
  bool is_integer() const;
  bool is_sparse() const;
  /// "real", "integer" or "sparse real": for messages.
  const char* kind_name() const;

  /// In which type its numbers are stored.
  StorageType type() const;

  const Shape& shape() const { return shape_; }
  std::int64_t size() const { return shape_.size(); }

  /// Of a real array, or of an integer array. Single precision and integers are widened by the first call, into memory
  /// of their own; so are integers of fewer than 32 bits by integers().
  std::span<const double> reals() const;
  std::span<const float> floats() const;           ///< lent single precision; otherwise empty
  std::shared_ptr<const void> owner() const;       ///< of lent values; otherwise null
  const void* identity() const;                    ///< where the values of a dense array lie: the same for its copies
  std::span<const std::int32_t> integers() const;  ///< of an integer array
  SparseRows sparse() const;                       ///< of a sparse array, valid while the array lives

  /// Element of a real or an integer array, as a number.
  double operator[](std::int64_t index) const;

  /// The same values as reals; a sparse array becomes dense. On a temporary that shares its memory with nobody the
  /// values are widened in place, so that the peak is the result and nothing more.
  DataArray to_real() const&;
  DataArray to_real() &&;

  /// The same values as integers, or the position of the first value that is not a whole number within 32 bits.
  struct Integers;
  Integers to_integer() const;

  /// The same values under another shape of the same size; not for sparse arrays.
  DataArray reshaped(Shape shape) const;

  /// Gives the memory of these rows (of the first axis) back to the system, for all copies: the values read as zero
  /// from then on, or stay, where they share a page with others. A packer calls it behind itself, so that what it
  /// copies never exists twice. Does nothing for sparse arrays and lent values.
  void release_rows(std::int64_t first, std::int64_t count) const;

  std::size_t memory_bytes() const;

 private:
  struct Content;
  std::shared_ptr<Content> content_;
  Shape shape_;
  std::shared_ptr<const MappedFile> file_;
  RowOrder order_ = RowOrder::given;
};

struct DataArray::Integers {
  std::optional<DataArray> array;
  std::int64_t bad_index = 0;  ///< when there is no array
  double bad_value = 0;
};

}  // namespace sgmcmc
