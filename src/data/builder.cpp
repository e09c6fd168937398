// Dataset::Builder: takes columns, has them checked, then packs them or notes where they lie.
#include "base/memory.hpp"
#include "data/given_column.hpp"
#include "data/row_packing.hpp"
#include "data/row_pages.hpp"
#include "data/store.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

namespace sgmcmc {
namespace {

constexpr std::int64_t row_limit = std::int64_t{1} << 32;  // row indices are 32 bits

template <typename Value>
GivenColumn dense(std::string name, ColumnKind kind, SourceType source, std::span<const Value> values, Shape row_shape,
                  bool borrowed, std::int64_t row_stride = 0) {
  GivenColumn column;
  column.name = std::move(name);
  column.kind = kind;
  column.source = source;
  column.borrowed = borrowed;
  column.values = reinterpret_cast<const std::byte*>(values.data());
  column.count = values.size();
  column.row_shape = std::move(row_shape);
  column.row_stride = row_stride;
  return column;
}

GivenColumn sparse_column(std::string name, const SparseRows& rows, bool borrowed) {
  GivenColumn column;
  column.name = std::move(name);
  column.kind = ColumnKind::sparse;
  column.borrowed = borrowed;
  column.row_shape = Shape{rows.columns};
  column.sparse = rows;
  return column;
}

StorageType lent_type(SourceType source) {
  switch (source) {
    case SourceType::int8: return StorageType::int8;
    case SourceType::uint8: return StorageType::uint8;
    case SourceType::int16: return StorageType::int16;
    default: return StorageType::int32;
  }
}

}  // namespace

struct Dataset::Builder::Pending {
  Precision precision;
  std::vector<GivenColumn> columns;
  std::function<void(std::int64_t, std::int64_t)> released;
  std::vector<std::shared_ptr<const void>> owners;
  std::shared_ptr<RowPages> pages;
  bool in_random_order = false;
  bool is_checked = false;
  bool is_padded = false;

  // The number of rows that all columns share.
  std::int64_t check_rows() const {
    std::set<std::string> names;
    std::int64_t rows = 0;
    for (const GivenColumn& column : columns) {
      if (column.name.empty()) throw DataError("a column has an empty name");
      if (!names.insert(column.name).second) refuse(column, "given twice; every column needs its own name");
      const std::int64_t counted = count_rows(column);
      if (counted >= row_limit) {
        refuse(column, std::to_string(counted) + " rows; a data set holds fewer than 4294967296");
      }
      if (&column == &columns.front()) rows = counted;
      if (counted != rows) {
        throw DataError("column '" + columns.front().name + "' has " + std::to_string(rows) + " rows but column '" +
                        column.name + "' has " + std::to_string(counted) +
                        "; every column needs the same number of rows");
      }
    }
    return rows;
  }

  StorageType storage(const GivenColumn& column) const {
    if (column.kind == ColumnKind::sparse) return StorageType::sparse;
    if (column.kind == ColumnKind::integer) return column.borrowed ? lent_type(column.source) : column.packed_integers;
    if (column.borrowed) return column.source == SourceType::float64 ? StorageType::float64 : StorageType::float32;
    return precision == Precision::float64 ? StorageType::float64 : StorageType::float32;
  }

  std::size_t row_bytes(const GivenColumn& column, StorageType type) const {
    return storage_bytes(type) * static_cast<std::size_t>(column.row_shape.size());
  }
  bool is_packed(const GivenColumn& column) const { return !column.borrowed && column.kind != ColumnKind::sparse; }

  /// Integers take fewer than 32 bits where they fit and rows get shorter by it.
  void narrow_integers() {
    std::size_t wide = 0, least = 0;
    for (const GivenColumn& column : columns) {
      if (!is_packed(column)) continue;
      wide += row_bytes(column, storage(column));
      least += row_bytes(column, column.kind == ColumnKind::integer ? StorageType::int8 : storage(column));
    }
    if (least == wide || packed_stride(least) == packed_stride(wide)) return;
    std::size_t used = 0;
    for (GivenColumn& column : columns) {
      if (!is_packed(column)) continue;
      if (column.kind == ColumnKind::integer) column.packed_integers = integer_range(column).narrowest();
      used += row_bytes(column, storage(column));
    }
    if (packed_stride(used) < packed_stride(wide)) return;
    for (GivenColumn& column : columns) column.packed_integers = StorageType::int32;
  }
};

Dataset::Builder::Builder(Precision precision)
    : pending_(std::make_unique<Pending>(Pending{precision, {}, {}, {}, {}})) {}
Dataset::Builder::~Builder() = default;
Dataset::Builder::Builder(Builder&&) noexcept = default;

Dataset::Builder& Dataset::Builder::real(std::string name, std::span<const double> values, Shape row_shape) {
  pending_->columns.push_back(
      dense(std::move(name), ColumnKind::real, SourceType::float64, values, std::move(row_shape), false));
  return *this;
}

Dataset::Builder& Dataset::Builder::real(std::string name, std::span<const float> values, Shape row_shape) {
  pending_->columns.push_back(
      dense(std::move(name), ColumnKind::real, SourceType::float32, values, std::move(row_shape), false));
  return *this;
}

Dataset::Builder& Dataset::Builder::real_by_column(std::string name, std::span<const double> values, Shape row_shape) {
  real(std::move(name), values, std::move(row_shape));
  pending_->columns.back().by_column = pending_->columns.back().row_shape.size() != 1;
  return *this;
}

Dataset::Builder& Dataset::Builder::integer(std::string name, std::span<const std::int32_t> values, Shape row_shape) {
  pending_->columns.push_back(
      dense(std::move(name), ColumnKind::integer, SourceType::int32, values, std::move(row_shape), false));
  return *this;
}

Dataset::Builder& Dataset::Builder::integer(std::string name, std::span<const std::int64_t> values, Shape row_shape) {
  pending_->columns.push_back(
      dense(std::move(name), ColumnKind::integer, SourceType::int64, values, std::move(row_shape), false));
  return *this;
}

Dataset::Builder& Dataset::Builder::sparse(std::string name, const SparseRows& rows) {
  pending_->columns.push_back(sparse_column(std::move(name), rows, false));
  return *this;
}

Dataset::Builder& Dataset::Builder::borrow_real(std::string name, std::span<const double> values, Shape row_shape,
                                                std::int64_t row_stride) {
  pending_->columns.push_back(
      dense(std::move(name), ColumnKind::real, SourceType::float64, values, std::move(row_shape), true, row_stride));
  return *this;
}

Dataset::Builder& Dataset::Builder::borrow_real(std::string name, std::span<const float> values, Shape row_shape,
                                                std::int64_t row_stride) {
  pending_->columns.push_back(
      dense(std::move(name), ColumnKind::real, SourceType::float32, values, std::move(row_shape), true, row_stride));
  return *this;
}

Dataset::Builder& Dataset::Builder::borrow_integer(std::string name, std::span<const std::int32_t> values,
                                                   Shape row_shape, std::int64_t row_stride) {
  pending_->columns.push_back(
      dense(std::move(name), ColumnKind::integer, SourceType::int32, values, std::move(row_shape), true, row_stride));
  return *this;
}

Dataset::Builder& Dataset::Builder::borrow_integer(std::string name, std::span<const std::int8_t> values,
                                                   Shape row_shape) {
  pending_->columns.push_back(
      dense(std::move(name), ColumnKind::integer, SourceType::int8, values, std::move(row_shape), true));
  return *this;
}

Dataset::Builder& Dataset::Builder::borrow_integer(std::string name, std::span<const std::uint8_t> values,
                                                   Shape row_shape) {
  pending_->columns.push_back(
      dense(std::move(name), ColumnKind::integer, SourceType::uint8, values, std::move(row_shape), true));
  return *this;
}

Dataset::Builder& Dataset::Builder::borrow_integer(std::string name, std::span<const std::int16_t> values,
                                                   Shape row_shape) {
  pending_->columns.push_back(
      dense(std::move(name), ColumnKind::integer, SourceType::int16, values, std::move(row_shape), true));
  return *this;
}

Dataset::Builder& Dataset::Builder::borrow_sparse(std::string name, const SparseRows& rows) {
  pending_->columns.push_back(sparse_column(std::move(name), rows, true));
  return *this;
}

Dataset::Builder& Dataset::Builder::keep(std::shared_ptr<const void> owner) {
  pending_->owners.push_back(std::move(owner));
  return *this;
}

Dataset::Builder& Dataset::Builder::when_packed(std::function<void(std::int64_t, std::int64_t)> released) {
  pending_->released = std::move(released);
  return *this;
}

Dataset::Builder& Dataset::Builder::in_random_order() {
  pending_->in_random_order = true;
  return *this;
}

Dataset::Builder& Dataset::Builder::without_checks() {
  pending_->is_checked = true;
  return *this;
}

Dataset::Builder& Dataset::Builder::padded() {
  pending_->is_padded = true;
  return *this;
}

Dataset::Builder& Dataset::Builder::paged(std::shared_ptr<RowPages> pages) {
  pending_->pages = std::move(pages);
  return *this;
}

Dataset Dataset::Builder::build() {
  auto store = std::make_shared<DatasetStore>();
  store->rows_ = pending_->check_rows();
  const auto rows = static_cast<std::size_t>(store->rows_);

  pending_->narrow_integers();
  // Where every packed column lies in its row: the widest numbers first, so that all are aligned.
  std::vector<std::size_t> offset(pending_->columns.size(), 0);
  std::size_t used = 0;
  for (const std::size_t bytes : {8, 4, 2, 1}) {
    for (const ColumnKind kind : {ColumnKind::real, ColumnKind::integer}) {
      for (std::size_t position = 0; position < offset.size(); ++position) {
        const GivenColumn& column = pending_->columns[position];
        if (!pending_->is_packed(column) || column.kind != kind) continue;
        const StorageType type = pending_->storage(column);
        if (storage_bytes(type) != bytes) continue;
        offset[position] = used;
        used += pending_->row_bytes(column, type);
      }
    }
  }
  const std::size_t stride = used == 0 ? 0 : packed_stride(used);
  auto own = [&](std::size_t bytes) {
    auto buffer = std::make_shared<AlignedBuffer<std::byte>>(bytes);
    store->owned_.push_back(buffer);
    store->memory_bytes_ += bytes;
    return buffer->data();
  };
  auto own_copy = [&](const auto& values) {
    std::byte* const copy = own(values.size_bytes());
    if (!values.empty()) std::memcpy(copy, values.data(), values.size_bytes());
    return reinterpret_cast<decltype(values.data())>(copy);
  };
  // All zeros, and so the padding. Without rows there is one, so that addresses in it exist.
  std::byte* const packed = used == 0 ? nullptr : own(std::max<std::size_t>(rows, 1) * stride);

  std::vector<ColumnMove> moves, checks;
  std::vector<const GivenColumn*> moved, checked;
  for (std::size_t position = 0; position < offset.size(); ++position) {
    const GivenColumn& column = pending_->columns[position];
    ColumnView view;
    view.name = column.name;
    view.kind = column.kind;
    view.type = pending_->storage(column);
    view.row_shape = column.row_shape;
    view.overread_safe = !column.borrowed || pending_->is_padded;
    if (column.kind == ColumnKind::sparse) {
      check_entries(column);
      const SparseRows& given = column.sparse;
      view.row_start = column.borrowed ? given.row_start.data() : own_copy(given.row_start);
      view.sparse_column = column.borrowed ? given.column.data() : own_copy(given.column);
      view.sparse_value = column.borrowed ? given.value.data() : own_copy(given.value);
      if (column.borrowed)
        store->borrowed_bytes_ += given.row_start.size_bytes() + given.column.size_bytes() + given.value.size_bytes();
    } else {
      const auto elements = static_cast<std::size_t>(column.row_shape.size());
      const std::size_t row_elements = column.row_stride > 0 ? static_cast<std::size_t>(column.row_stride) : elements;
      const std::size_t source_stride = row_elements * element_bytes(column.source);
      view.base = column.borrowed ? column.values : packed + offset[position];
      view.stride_bytes = column.borrowed ? source_stride : stride;
      if (column.borrowed) store->borrowed_bytes_ += rows * source_stride;
      if (column.borrowed && (column.kind == ColumnKind::integer || pending_->is_checked)) {
        store->columns_.push_back(std::move(view));
        continue;  // read in place and valid whatever its value
      }
      const bool in_part = column.borrowed && pending_->pages && pending_->pages->keeps_some();
      auto& added = in_part ? checks : moves;
      added.push_back({column.values,
                       source_stride,
                       elements,
                       offset[position],
                       column.borrowed ? checking_move(column.source) : packing_move(column.source, view.type),
                       {}});
      if (column.by_column) {
        added.back().source_stride = element_bytes(column.source);
        added.back().slices = column_slices(column.row_shape, rows * element_bytes(column.source));
      }
      (in_part ? checked : moved).push_back(&column);
    }
    store->columns_.push_back(std::move(view));
  }
  if (const auto refused = move_rows(moves, store->rows_, packed, stride, pending_->released)) {
    refuse_row(*moved[refused->column], moves[refused->column], refused->row);
  }
  if (!checks.empty()) {  // other ranks check the other rows
    const auto first = static_cast<std::int64_t>(pending_->pages->first_kept());
    const auto end = static_cast<std::int64_t>(pending_->pages->end_kept());
    std::vector<ColumnMove> from_first = checks;
    for (ColumnMove& check : from_first) check.source += static_cast<std::size_t>(first) * check.source_stride;
    if (const auto refused = move_rows(from_first, end - first, nullptr, 0))
      refuse_row(*checked[refused->column], checks[refused->column], first + refused->row);
  }

  for (auto& owner : pending_->owners) store->owned_.push_back(std::move(owner));
  store->in_random_order_ = pending_->in_random_order;
  store->pages_ = pending_->pages;
  Dataset data;
  data.store_ = std::move(store);
  return data;
}

}  // namespace sgmcmc
