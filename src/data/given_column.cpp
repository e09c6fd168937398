// Checks of given columns; every message names the column and, where there is one, the row and the element.
#include "data/given_column.hpp"

#include <sgmcmc/error.hpp>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

namespace sgmcmc {
namespace {

std::string in_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

std::string not_finite(double value) {
  return (std::isnan(value) ? "NaN"
          : value > 0       ? "infinity"
                            : "-infinity") +
         std::string("; every value must be finite: remove the row or replace the value");
}

// ", element 3" or ", element [1, 2]"; nothing for scalars.
std::string element_text(const Shape& shape, std::int64_t element) {
  if (shape.is_scalar()) return "";
  if (shape.rank() == 1) return ", element " + std::to_string(element);
  std::string indices;
  for (std::size_t axis = shape.rank(); axis-- > 0;) {
    indices = std::to_string(element % shape[axis]) + (indices.empty() ? "" : ", ") + indices;
    element /= shape[axis];
  }
  return ", element [" + indices + "]";
}

// Elements per row; shapes come from users, so their product may be anything.
std::int64_t checked_size(const GivenColumn& column) {
  std::int64_t size = 1;
  for (const std::int64_t dim : column.row_shape.dims()) {
    if (dim < 1 || size > (std::int64_t{1} << 40) / dim) {
      refuse(column, "row shape " + column.row_shape.to_string() +
                         " is unusable: every dimension must be at least 1, and a row at most 2^40 elements");
    }
    size *= dim;
  }
  return size;
}

std::int64_t dense_rows(const GivenColumn& column) {
  const std::int64_t size = checked_size(column);
  const auto count = static_cast<std::int64_t>(column.count);
  const std::string given = std::to_string(count) + " values";
  if (column.row_stride == 0) {
    if (count % size != 0) {
      refuse(column, given + " are not a whole number of rows of " + std::to_string(size) + " (row shape " +
                         column.row_shape.to_string() + ")");
    }
    return count / size;
  }
  const std::int64_t stride = column.row_stride;
  if (stride < size) {
    refuse(column, "row_stride is " + std::to_string(stride) + " but a row has " + std::to_string(size) +
                       " elements; use at least that, or 0 for contiguous rows");
  }
  if (count == 0) return 0;
  // The last row may stop after its own elements or go on to a whole stride.
  const std::int64_t rows = (count + stride - size) / stride;
  if (rows < 1 || count - (rows - 1) * stride > stride) {
    refuse(column, given + " do not end with a whole row of " + std::to_string(size) + " at row_stride " +
                       std::to_string(stride));
  }
  return rows;
}

std::int64_t sparse_rows(const GivenColumn& column) {
  checked_size(column);
  const SparseRows& sparse = column.sparse;
  if (sparse.columns > std::numeric_limits<std::int32_t>::max()) refuse(column, "more than 2147483647 sparse columns");
  if (sparse.row_start.empty()) refuse(column, "row_start is empty; it needs one entry more than there are rows");
  if (sparse.row_start.front() != 0) {
    refuse(column, "row_start begins with " + std::to_string(sparse.row_start.front()) + "; it must begin with 0");
  }
  if (sparse.column.size() != sparse.value.size()) {
    refuse(column, std::to_string(sparse.column.size()) + " column indices but " + std::to_string(sparse.value.size()) +
                       " values; every entry needs both");
  }
  return static_cast<std::int64_t>(sparse.row_start.size()) - 1;
}

}  // namespace

std::size_t element_bytes(SourceType source) { return source_bytes(source); }

IntegerRange integer_range(const GivenColumn& column) {
  IntegerRange range;
  const auto add = [&](auto zero) {
    range.add(std::span(reinterpret_cast<const decltype(zero)*>(column.values), column.count));
  };
  switch (column.source) {
    case SourceType::int64: add(std::int64_t{0}); break;
    case SourceType::int8: add(std::int8_t{0}); break;
    case SourceType::uint8: add(std::uint8_t{0}); break;
    case SourceType::int16: add(std::int16_t{0}); break;
    default: add(std::int32_t{0});
  }
  return range;
}

void refuse(const GivenColumn& column, const std::string& what) {
  throw DataError("column '" + column.name + "': " + what);
}

std::int64_t count_rows(const GivenColumn& column) {
  return column.kind == ColumnKind::sparse ? sparse_rows(column) : dense_rows(column);
}

void check_entries(const GivenColumn& column) {
  const SparseRows& sparse = column.sparse;
  const auto entries = static_cast<std::int64_t>(sparse.value.size());
  for (std::size_t row = 0; row + 1 < sparse.row_start.size(); ++row) {
    const std::int64_t start = sparse.row_start[row], end = sparse.row_start[row + 1];
    const auto where = [&] { return "row " + std::to_string(row); };
    if (end < start || end > entries) {
      refuse(column, where() + ": row_start goes from " + std::to_string(start) + " to " + std::to_string(end) +
                         "; it must not decrease nor exceed the " + std::to_string(entries) + " entries");
    }
    for (auto entry = static_cast<std::size_t>(start); entry < static_cast<std::size_t>(end); ++entry) {
      if (sparse.column[entry] < 0 || sparse.column[entry] >= sparse.columns) {
        refuse(column, where() + ": column index " + std::to_string(sparse.column[entry]) + " is outside 0 to " +
                           std::to_string(sparse.columns - 1));
      }
      if (!std::isfinite(sparse.value[entry])) {
        refuse(column,
               where() + ", element " + std::to_string(sparse.column[entry]) + ": " + not_finite(sparse.value[entry]));
      }
    }
  }
  if (sparse.row_start.back() != entries) {
    refuse(column, "row_start ends with " + std::to_string(sparse.row_start.back()) + " but there are " +
                       std::to_string(entries) + " entries");
  }
}

void refuse_row(const GivenColumn& column, const ColumnMove& move, std::int64_t row) {
  const std::size_t bytes = element_bytes(column.source);
  const std::byte* source = move.source + static_cast<std::size_t>(row) * move.source_stride;
  std::byte scratch[8];
  std::size_t element = 0;
  const auto place = [&](std::size_t k) { return move.slices.empty() ? k * bytes : move.slices[k]; };
  while (element + 1 < move.elements && move.move(source + place(element), scratch, 1)) ++element;
  source += place(element);
  const std::string where =
      "row " + std::to_string(row) + element_text(column.row_shape, static_cast<std::int64_t>(element)) + ": ";
  if (column.source == SourceType::int64) {
    std::int64_t value = 0;
    std::memcpy(&value, source, sizeof value);
    refuse(column, where + std::to_string(value) + " does not fit in 32 bits (-2147483648 to 2147483647)");
  }
  double value = 0;
  if (column.source == SourceType::float64) {
    std::memcpy(&value, source, sizeof value);
  } else {
    float single = 0;
    std::memcpy(&single, source, sizeof single);
    value = single;
  }
  if (!std::isfinite(value)) refuse(column, where + not_finite(value));
  refuse(column, where + in_text(value) + " is too large for float32; rescale the column or use Precision::float64");
}

}  // namespace sgmcmc
