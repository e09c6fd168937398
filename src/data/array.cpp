// The array's content, conversions between kinds, and giving memory back.
#include "data/array.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <mutex>
#include <utility>
#include <variant>

namespace sgmcmc {

namespace {

struct SparseContent {
  GrowingMemory<std::int64_t> row_start;
  GrowingMemory<std::int32_t> column;
  GrowingMemory<double> value;
  std::int64_t columns = 0;
};

struct LentReals {
  std::span<const double> values;
  std::shared_ptr<const void> owner;
};

struct LentFloats {
  std::span<const float> values;
  std::shared_ptr<const void> owner;
};

struct LentIntegers {
  std::span<const std::int32_t> values;
  std::shared_ptr<const void> owner;
};

/// Of 8 or 16 bits.
struct LentNarrow {
  StorageType type = StorageType::int8;
  const std::byte* values = nullptr;
  std::size_t count = 0;
  std::shared_ptr<const void> owner;
};

template <class T>
GrowingMemory<T> copied(std::span<const T> values) {
  GrowingMemory<T> memory;
  memory.resize(values.size());
  if (!values.empty()) std::memcpy(memory.data(), values.data(), values.size_bytes());
  return memory;
}

}  // namespace

struct DataArray::Content {
  std::variant<GrowingMemory<std::int32_t>, GrowingMemory<double>, SparseContent, LentReals, LentFloats, LentIntegers,
               LentNarrow>
      values;
  std::once_flag once, once_integers;
  GrowingMemory<std::int32_t> wide_integers;  ///< narrow integers, where somebody wanted 32 bits
  GrowingMemory<double> wide;                 ///< integers and single precision, where somebody wanted them as doubles

  template <class Kind>
  const Kind* as() const {
    return std::get_if<Kind>(&values);
  }
  std::span<const double> widened(const auto& narrow) {
    std::call_once(once, [&] {
      wide.resize(narrow.size());
      std::ranges::copy(narrow, wide.data());
    });
    return wide.span();
  }
};

DataArray::DataArray() : DataArray(GrowingMemory<std::int32_t>(), Shape{0}) {}

DataArray::DataArray(GrowingMemory<double> values, Shape shape)
    : content_(std::make_shared<Content>()), shape_(std::move(shape)) {
  assert(static_cast<std::int64_t>(values.size()) == shape_.size());
  values.shrink_to_fit();
  content_->values = std::move(values);
}

DataArray::DataArray(GrowingMemory<std::int32_t> values, Shape shape)
    : content_(std::make_shared<Content>()), shape_(std::move(shape)) {
  assert(static_cast<std::int64_t>(values.size()) == shape_.size());
  values.shrink_to_fit();
  content_->values = std::move(values);
}

DataArray::DataArray(GrowingMemory<std::int64_t> row_start, GrowingMemory<std::int32_t> column,
                     GrowingMemory<double> value, std::int64_t columns)
    : content_(std::make_shared<Content>()), shape_{static_cast<std::int64_t>(row_start.size()) - 1, columns} {
  row_start.shrink_to_fit();
  column.shrink_to_fit();
  value.shrink_to_fit();
  content_->values = SparseContent{std::move(row_start), std::move(column), std::move(value), columns};
}

DataArray DataArray::copy_of(std::span<const double> values, Shape shape) { return {copied(values), std::move(shape)}; }
DataArray DataArray::copy_of(std::span<const std::int32_t> values, Shape shape) {
  return {copied(values), std::move(shape)};
}

DataArray DataArray::lent(std::span<const double> values, Shape shape, std::shared_ptr<const void> owner) {
  assert(static_cast<std::int64_t>(values.size()) == shape.size());
  DataArray array;
  array.content_->values = LentReals{values, std::move(owner)};
  array.shape_ = std::move(shape);
  return array;
}
DataArray DataArray::lent(std::span<const float> values, Shape shape, std::shared_ptr<const void> owner) {
  assert(static_cast<std::int64_t>(values.size()) == shape.size());
  DataArray array;
  array.content_->values = LentFloats{values, std::move(owner)};
  array.shape_ = std::move(shape);
  return array;
}

DataArray DataArray::lent(std::span<const std::int32_t> values, Shape shape, std::shared_ptr<const void> owner) {
  assert(static_cast<std::int64_t>(values.size()) == shape.size());
  DataArray array;
  array.content_->values = LentIntegers{values, std::move(owner)};
  array.shape_ = std::move(shape);
  return array;
}

namespace {

template <class Integer>
LentNarrow narrow_integers(StorageType type, std::span<const Integer> values, std::shared_ptr<const void> owner) {
  return {type, reinterpret_cast<const std::byte*>(values.data()), values.size(), std::move(owner)};
}

}  // namespace

DataArray DataArray::lent(std::span<const std::int8_t> values, Shape shape, std::shared_ptr<const void> owner) {
  DataArray array;
  array.content_->values = narrow_integers(StorageType::int8, values, std::move(owner));
  array.shape_ = std::move(shape);
  return array;
}
DataArray DataArray::lent(std::span<const std::uint8_t> values, Shape shape, std::shared_ptr<const void> owner) {
  DataArray array;
  array.content_->values = narrow_integers(StorageType::uint8, values, std::move(owner));
  array.shape_ = std::move(shape);
  return array;
}
DataArray DataArray::lent(std::span<const std::int16_t> values, Shape shape, std::shared_ptr<const void> owner) {
  DataArray array;
  array.content_->values = narrow_integers(StorageType::int16, values, std::move(owner));
  array.shape_ = std::move(shape);
  return array;
}

StorageType DataArray::type() const {
  if (const auto* narrow = content_->as<LentNarrow>()) return narrow->type;
  if (is_integer()) return StorageType::int32;
  if (is_sparse()) return StorageType::sparse;
  return content_->as<LentFloats>() ? StorageType::float32 : StorageType::float64;
}

bool DataArray::is_real() const { return !is_integer() && !is_sparse(); }
bool DataArray::is_integer() const {
  return std::holds_alternative<GrowingMemory<std::int32_t>>(content_->values) ||
         std::holds_alternative<LentIntegers>(content_->values) || std::holds_alternative<LentNarrow>(content_->values);
}
bool DataArray::is_sparse() const { return std::holds_alternative<SparseContent>(content_->values); }
const char* DataArray::kind_name() const { return is_integer() ? "integer" : is_real() ? "real" : "sparse real"; }

std::span<const double> DataArray::reals() const {
  if (const auto* lent = content_->as<LentReals>()) return lent->values;
  if (const auto* lent = content_->as<LentFloats>()) return content_->widened(lent->values);
  if (is_integer()) return content_->widened(integers());
  return std::get<GrowingMemory<double>>(content_->values).span();
}
std::span<const float> DataArray::floats() const {
  const auto* lent = content_->as<LentFloats>();
  return lent ? lent->values : std::span<const float>();
}
std::shared_ptr<const void> DataArray::owner() const {
  if (const auto* lent = content_->as<LentReals>()) return lent->owner;
  if (const auto* lent = content_->as<LentIntegers>()) return lent->owner;
  if (const auto* lent = content_->as<LentNarrow>()) return lent->owner;
  const auto* lent = content_->as<LentFloats>();
  return lent ? lent->owner : nullptr;
}
const void* DataArray::identity() const {
  if (const auto values = floats(); !values.empty()) return values.data();
  if (const auto* narrow = content_->as<LentNarrow>()) return narrow->values;
  if (is_integer()) return integers().data();
  return reals().data();
}
std::span<const std::int32_t> DataArray::integers() const {
  if (const auto* lent = content_->as<LentIntegers>()) return lent->values;
  if (const auto* narrow = content_->as<LentNarrow>()) {
    std::call_once(content_->once_integers, [&] {
      content_->wide_integers.resize(narrow->count);
      for (std::size_t i = 0; i < narrow->count; ++i)
        content_->wide_integers[i] = integer_at(narrow->type, narrow->values, static_cast<std::int64_t>(i));
    });
    return content_->wide_integers.span();
  }
  return std::get<GrowingMemory<std::int32_t>>(content_->values).span();
}
SparseRows DataArray::sparse() const {
  const auto& sparse = std::get<SparseContent>(content_->values);
  return {sparse.row_start.span(), sparse.column.span(), sparse.value.span(), sparse.columns};
}

double DataArray::operator[](std::int64_t index) const {
  const auto position = static_cast<std::size_t>(index);
  if (const auto* narrow = content_->as<LentNarrow>()) return integer_at(narrow->type, narrow->values, index);
  if (is_integer()) return integers()[position];
  if (const auto values = floats(); !values.empty()) return static_cast<double>(values[position]);
  return reals()[position];
}

DataArray DataArray::to_real() const& {
  if (is_real()) return *this;
  GrowingMemory<double> result;
  result.resize(static_cast<std::size_t>(size()));
  if (is_integer()) {
    std::ranges::copy(integers(), result.data());
  } else {
    const SparseRows rows = sparse();
    for (std::size_t row = 0; row + 1 < rows.row_start.size(); ++row) {
      double* const target = result.data() + row * static_cast<std::size_t>(rows.columns);
      for (auto entry = rows.row_start[row]; entry < rows.row_start[row + 1]; ++entry) {
        const auto position = static_cast<std::size_t>(entry);
        target[rows.column[position]] = rows.value[position];
      }
    }
  }
  return {std::move(result), shape_};
}

DataArray DataArray::to_real() && {
  if (!is_integer() || owner() || content_.use_count() != 1) return std::as_const(*this).to_real();
  auto& values = std::get<GrowingMemory<std::int32_t>>(content_->values);
  DataArray result(widen(std::move(values)), shape_);
  *this = DataArray();
  return result;
}

DataArray::Integers DataArray::to_integer() const {
  if (is_integer()) return {*this, 0, 0};
  const DataArray dense = to_real();
  GrowingMemory<std::int32_t> result;
  result.resize(static_cast<std::size_t>(dense.size()));
  for (std::size_t i = 0; i < result.size(); ++i) {
    const double value = dense[static_cast<std::int64_t>(i)];
    if (!(value >= -2147483648.0 && value <= 2147483647.0) || value != std::trunc(value)) {
      return {std::nullopt, static_cast<std::int64_t>(i), value};
    }
    result[i] = static_cast<std::int32_t>(value);
  }
  return {DataArray(std::move(result), shape_), 0, 0};
}

DataArray DataArray::reshaped(Shape shape) const {
  assert(!is_sparse() && shape.size() == shape_.size());
  DataArray result = *this;
  result.shape_ = std::move(shape);
  return result;
}

void DataArray::release_rows(std::int64_t first, std::int64_t count) const {
  if (is_sparse() || owner() || shape_.is_scalar() || shape_[0] == 0) return;
  const auto row_elements = static_cast<std::size_t>(shape_.size() / shape_[0]);
  const auto release = [&](PagedMemory& memory, std::size_t element_bytes) {
    memory.release(static_cast<std::size_t>(first) * row_elements * element_bytes,
                   static_cast<std::size_t>(first + count) * row_elements * element_bytes);
  };
  if (is_integer()) {
    release(std::get<GrowingMemory<std::int32_t>>(content_->values).memory(), sizeof(std::int32_t));
    if (content_->wide.size() > 0) release(content_->wide.memory(), sizeof(double));
  } else {
    release(std::get<GrowingMemory<double>>(content_->values).memory(), sizeof(double));
  }
}

std::size_t DataArray::memory_bytes() const {
  if (owner()) return 0;
  if (is_integer()) return integers().size_bytes();
  if (is_real()) return reals().size_bytes();
  const SparseRows rows = sparse();
  return rows.row_start.size_bytes() + rows.column.size_bytes() + rows.value.size_bytes();
}

}  // namespace sgmcmc
