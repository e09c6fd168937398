// Visits all rows of a column in order, in memory that does not grow with them.
#pragma once

#include "data/row_pages.hpp"
#include "data/store.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace sgmcmc {

/// Calls visit(first, end, view) for consecutive stretches of the rows; only these rows of the view may be read. Rows
/// in files with a limit of memory are copied. pages: of the data set; may be null.
template <class Visitor>
void for_stretches(const ColumnView& column, RowPages* pages, std::uint32_t rows, Visitor&& visit) {
  const RowPages::Column* const on_disk = pages ? pages->column_at(column.base) : nullptr;
  if (!on_disk) return visit(0U, rows, column);
  constexpr std::uint32_t at_once = RowPages::stretch_rows;
  const auto end_of = [&](std::uint32_t first) { return std::min(rows - first, at_once) + first; };
  std::vector<std::byte> copy(at_once * on_disk->stride);
  ColumnView view = column;
  for (std::uint32_t first = 0; first < rows; first = end_of(first)) {
    const std::uint32_t end = end_of(first);
    if (end < rows) pages->want(end, end_of(end) - end);
    pages->read(*on_disk, first, end - first, copy.data());
    // Row `first` is at the beginning of the copy; row 0, which would be far before it, is never accessed.
    view.base = reinterpret_cast<const std::byte*>(reinterpret_cast<std::uintptr_t>(copy.data()) -
                                                   std::size_t{first} * on_disk->stride);
    visit(first, end, view);
  }
}

}  // namespace sgmcmc
