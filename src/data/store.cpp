// Finding columns by name, and the memory that random access to some of them touches.
#include "data/store.hpp"

#include "base/text.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cstdint>

namespace sgmcmc {
namespace {

RowBlock block_of(const ColumnView& column) {
  if (column.type == StorageType::sparse) {
    return {reinterpret_cast<const std::byte*>(column.row_start), sizeof(std::int64_t), 2 * sizeof(std::int64_t)};
  }
  return {column.base, column.stride_bytes,
          static_cast<std::size_t>(column.row_shape.size()) * storage_bytes(column.type)};
}

// Two columns lie in one block when together they fit in one stride.
bool merge(RowBlock& block, const RowBlock& other) {
  if (block.stride_bytes != other.stride_bytes) return false;
  const auto first = reinterpret_cast<std::uintptr_t>(block.base),
             second = reinterpret_cast<std::uintptr_t>(other.base);
  const std::uintptr_t start = std::min(first, second);
  const std::uintptr_t end = std::max(first + block.used_bytes, second + other.used_bytes);
  const bool same = first == second && block.used_bytes == other.used_bytes;
  if (!same && end - start > block.stride_bytes) return false;
  block.base = first < second ? block.base : other.base;
  block.used_bytes = end - start;
  return true;
}

}  // namespace

const ColumnView& DatasetStore::column(const std::string& name) const {
  for (const ColumnView& column : columns_) {
    if (column.name == name) return column;
  }
  std::vector<std::string> known;
  for (const ColumnView& column : columns_) known.push_back(column.name);
  std::string message = "no column '" + name + "' in the data.";
  if (const std::string nearest = nearest_name(name, known); !nearest.empty()) {
    message += " Did you mean '" + nearest + "'?";
  }
  throw DataError(message + (known.empty() ? " It has no columns." : " Its columns: " + quoted_list(known) + "."));
}

std::vector<RowBlock> DatasetStore::blocks(std::span<const std::string> names) const {
  std::vector<RowBlock> result;
  for (const std::string& name : names) {
    const RowBlock added = block_of(column(name));
    const bool merged = std::any_of(result.begin(), result.end(), [&](RowBlock& block) { return merge(block, added); });
    if (!merged) result.push_back(added);
  }
  return result;
}

}  // namespace sgmcmc
