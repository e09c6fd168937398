// Copying rows column by column, then packing them again.
#include "data/select_rows.hpp"

#include "data/store.hpp"

#include <sgmcmc/error.hpp>

#include <cstring>
#include <deque>
#include <vector>

namespace sgmcmc {
namespace {

template <class Number>
std::span<const Number> gathered(const ColumnView& column, std::span<const std::uint32_t> rows,
                                 std::deque<std::vector<Number>>& kept) {
  const auto size = static_cast<std::size_t>(column.row_shape.size());
  auto& values = kept.emplace_back(rows.size() * size);
  for (std::size_t k = 0; k < rows.size(); ++k)
    std::memcpy(values.data() + k * size, column.row(rows[k]), size * sizeof(Number));
  return values;
}

std::span<const std::int32_t> gathered_integers(const ColumnView& column, std::span<const std::uint32_t> rows,
                                                std::deque<std::vector<std::int32_t>>& kept) {
  const std::int64_t size = column.row_shape.size();
  auto& values = kept.emplace_back();
  values.reserve(rows.size() * static_cast<std::size_t>(size));
  for (const std::uint32_t row : rows)
    for (std::int64_t k = 0; k < size; ++k) values.push_back(column.integer(row, k));
  return values;
}

struct SparseCopy {
  std::vector<std::int64_t> row_start = {0};
  std::vector<std::int32_t> column;
  std::vector<double> value;
};

void gather(const ColumnView& from, std::span<const std::uint32_t> rows, SparseCopy& to) {
  for (const std::uint32_t row : rows) {
    const std::int64_t begin = from.row_start[row], end = from.row_start[row + 1];
    to.column.insert(to.column.end(), from.sparse_column + begin, from.sparse_column + end);
    to.value.insert(to.value.end(), from.sparse_value + begin, from.sparse_value + end);
    to.row_start.push_back(static_cast<std::int64_t>(to.value.size()));
  }
}

}  // namespace

Dataset select_rows(const Dataset& data, std::span<const std::uint32_t> rows) {
  for (const std::uint32_t row : rows)
    if (row >= data.rows())
      throw DataError("there is no row " + std::to_string(row) + ", counted from 0: the data have " +
                      std::to_string(data.rows()) + " rows");
  const auto& columns = data.store().columns();
  Precision precision = Precision::float64;
  for (const auto& column : columns)
    if (column.type == StorageType::float32) precision = Precision::float32;
  Dataset::Builder builder(precision);
  std::deque<std::vector<double>> doubles;
  std::deque<std::vector<float>> floats;
  std::deque<std::vector<std::int32_t>> integers;
  std::deque<SparseCopy> sparse;
  for (const auto& column : columns) switch (column.type) {
      case StorageType::float64: builder.real(column.name, gathered(column, rows, doubles), column.row_shape); break;
      case StorageType::float32: builder.real(column.name, gathered(column, rows, floats), column.row_shape); break;
      case StorageType::int32:
      case StorageType::int8:
      case StorageType::uint8:
      case StorageType::int16:
        builder.integer(column.name, gathered_integers(column, rows, integers), column.row_shape);
        break;
      case StorageType::sparse: {
        auto& copy = sparse.emplace_back();
        gather(column, rows, copy);
        builder.sparse(column.name, {copy.row_start, copy.column, copy.value, column.row_shape[0]});
        break;
      }
    }
  return builder.build();
}

}  // namespace sgmcmc
