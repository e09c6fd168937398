// The member functions of Dataset, which query its store.
#include <sgmcmc/dataset.hpp>

#include "data/store.hpp"

#include <algorithm>

namespace sgmcmc {

const DatasetStore& Dataset::store() const {
  static const DatasetStore empty;
  return store_ ? *store_ : empty;
}

std::int64_t Dataset::rows() const { return store().rows(); }

bool Dataset::has_column(const std::string& name) const {
  const auto& columns = store().columns();
  return std::any_of(columns.begin(), columns.end(), [&](const ColumnView& column) { return column.name == name; });
}

ColumnKind Dataset::column_kind(const std::string& name) const { return store().column(name).kind; }

const Shape& Dataset::row_shape(const std::string& name) const { return store().column(name).row_shape; }

std::vector<std::string> Dataset::column_names() const {
  std::vector<std::string> names;
  for (const ColumnView& column : store().columns()) names.push_back(column.name);
  return names;
}

std::size_t Dataset::memory_bytes() const { return store().memory_bytes(); }

bool Dataset::in_random_order() const { return store().in_random_order(); }

}  // namespace sgmcmc
