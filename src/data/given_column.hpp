// A column as the caller gave it, and the checks it must pass before it is packed or borrowed.
#pragma once

#include "data/row_packing.hpp"
#include "data/store.hpp"

#include <cstdint>
#include <string>

namespace sgmcmc {

struct GivenColumn {
  std::string name;
  ColumnKind kind = ColumnKind::real;
  SourceType source = SourceType::float64;
  bool borrowed = false;
  const std::byte* values = nullptr;
  std::size_t count = 0;  // elements
  Shape row_shape;
  std::int64_t row_stride = 0;  // elements; 0: contiguous
  bool by_column = false;       // doubles, column-major
  SparseRows sparse;
  StorageType packed_integers = StorageType::int32;  // of an integer column that is packed
};

/// Of all values of an integer column.
IntegerRange integer_range(const GivenColumn& column);

/// Bytes of one element where the caller left it.
std::size_t element_bytes(SourceType source);

/// Throws DataError whose message starts with the column's name.
[[noreturn]] void refuse(const GivenColumn& column, const std::string& what);

/// The number of rows, from the sizes alone: no value is read.
std::int64_t count_rows(const GivenColumn& column);

/// Every entry of a sparse column: starts in order, column indices in range, values finite.
void check_entries(const GivenColumn& column);

/// The row's move failed: says at which element and why.
[[noreturn]] void refuse_row(const GivenColumn& column, const ColumnMove& move, std::int64_t row);

}  // namespace sgmcmc
