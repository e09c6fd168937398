// Tests of Dataset and its Builder: stored values, their layout, and columns that are read in place.
#include "data/store.hpp"

#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

namespace sgmcmc {
namespace {

template <typename Value>
Value element(const ColumnView& column, std::uint32_t row, std::size_t position = 0) {
  Value value;
  std::memcpy(&value, column.row(row) + position * sizeof(Value), sizeof(Value));
  return value;
}

bool is_aligned(const std::byte* address, std::size_t bytes) {
  return reinterpret_cast<std::uintptr_t>(address) % bytes == 0;
}

std::vector<double> counting(std::size_t count) {
  std::vector<double> values(count);
  std::iota(values.begin(), values.end(), 0.25);
  return values;
}

TEST(Dataset, DefaultConstructed_HasNoRowsAndNoColumns) {
  const Dataset data;
  EXPECT_FALSE(data);
  EXPECT_EQ(data.rows(), 0);
  EXPECT_TRUE(data.column_names().empty());
  EXPECT_FALSE(data.has_column("x"));
  EXPECT_EQ(data.memory_bytes(), 0u);
  EXPECT_THROW(data.column_kind("x"), DataError);
}

TEST(Dataset, MixedColumns_RoundTripThroughThePackedRow) {
  constexpr std::size_t rows = 7;
  const std::vector<double> x = counting(rows * 54);
  const std::vector<float> z = {1.5f, 2.5f, 3.5f, 4.5f, 5.5f, 6.5f, 7.5f};
  const std::vector<std::int32_t> label = {0, 1, 1, 0, -5, 2147483647, -2147483647 - 1};
  const std::vector<std::int64_t> pair = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
  const Dataset data =
      Dataset::Builder().integer("label", label).real("x", x, {6, 9}).integer("pair", pair, {2}).real("z", z).build();

  EXPECT_EQ(data.rows(), 7);
  EXPECT_EQ(data.column_names(), (std::vector<std::string>{"label", "x", "pair", "z"}));
  EXPECT_EQ(data.column_kind("x"), ColumnKind::real);
  EXPECT_EQ(data.column_kind("pair"), ColumnKind::integer);
  EXPECT_EQ(data.row_shape("x"), (Shape{6, 9}));
  EXPECT_TRUE(data.row_shape("z").is_scalar());
  const DatasetStore& store = data.store();
  for (std::uint32_t row = 0; row < rows; ++row) {
    for (std::size_t k = 0; k < 54; ++k) ASSERT_EQ(element<double>(store.column("x"), row, k), x[row * 54 + k]);
    EXPECT_EQ(element<double>(store.column("z"), row), z[row]);
    EXPECT_EQ(store.column("label").integer(row, 0), label[row]);
    EXPECT_EQ(store.column("pair").integer(row, 1), pair[2 * row + 1]);
  }
}

TEST(Dataset, PackedRow_PutsRealsFirstAndPadsWithZerosToCacheLines) {
  constexpr std::size_t rows = 5;
  const std::vector<double> x = counting(rows * 54);
  const std::vector<std::int32_t> label(rows, -1);
  const Dataset data = Dataset::Builder().integer("label", label).real("x", x, {54}).build();
  const ColumnView& reals = data.store().column("x");
  const ColumnView& integers = data.store().column("label");

  EXPECT_EQ(reals.stride_bytes, 448u);  // 54 * 8 + 4 = 436
  EXPECT_EQ(integers.stride_bytes, 448u);
  EXPECT_EQ(integers.base - reals.base, 54 * 8);
  EXPECT_TRUE(is_aligned(reals.base, 64));
  EXPECT_TRUE(reals.overread_safe);
  for (std::uint32_t row = 0; row < rows; ++row) {
    for (std::size_t byte = 436; byte < 448; ++byte) EXPECT_EQ(reals.row(row)[byte], std::byte{0});
  }
  for (std::size_t byte = 0; byte < 64; ++byte) EXPECT_EQ(reals.base[rows * 448 + byte], std::byte{0});
}

TEST(Dataset, SmallRow_TakesAPowerOfTwo) {
  const std::vector<double> four = counting(4);
  const std::vector<std::int32_t> labels(4, 1);
  EXPECT_EQ(Dataset::Builder().real("x", four).build().store().column("x").stride_bytes, 8u);
  EXPECT_EQ(Dataset::Builder(Precision::float32).real("x", four).build().store().column("x").stride_bytes, 4u);
  EXPECT_EQ(Dataset::Builder().real("x", four).integer("y", labels).build().store().column("y").stride_bytes, 16u);
  EXPECT_EQ(Dataset::Builder().real("x", four, {4}).build().store().column("x").stride_bytes, 32u);
  const std::vector<double> five = counting(5);
  EXPECT_EQ(Dataset::Builder().real("x", five, {5}).build().store().column("x").stride_bytes, 64u);
}

TEST(Dataset, Float32Precision_StoresRealsAsFloats) {
  const std::vector<double> x = {0.1, 2.0, -3.5};
  const std::vector<float> z = {1.0f, 2.0f, 0.3f};
  const Dataset data = Dataset::Builder(Precision::float32).real("x", x).real("z", z).build();
  EXPECT_EQ(data.store().column("x").type, StorageType::float32);
  EXPECT_EQ(element<float>(data.store().column("x"), 0), 0.1f);
  EXPECT_EQ(element<float>(data.store().column("z"), 2), 0.3f);
}

TEST(Dataset, LargeBlock_StartsOnAHugePageAndIsPackedByThreadsExactly) {
  constexpr std::size_t rows = 40'000, width = 30;
  std::vector<double> x(rows * width);
  std::mt19937_64 engine(1);
  for (double& value : x) value = static_cast<double>(engine()) * 0x1p-64;
  std::vector<std::int32_t> label(rows);
  std::iota(label.begin(), label.end(), 0);
  const Dataset data = Dataset::Builder().real("x", x, {width}).integer("label", label).build();
  const ColumnView& reals = data.store().column("x");
  const ColumnView& integers = data.store().column("label");
  EXPECT_TRUE(is_aligned(reals.base, std::size_t{2} << 20));
  for (std::uint32_t row = 0; row < rows; ++row) {
    ASSERT_EQ(std::memcmp(reals.row(row), x.data() + row * width, width * sizeof(double)), 0) << row;
    ASSERT_EQ(integers.integer(row, 0), label[row]);
  }
}

TEST(Dataset, Borrowed_IsReadInPlaceAndNotCounted) {
  const std::vector<double> table = counting(4 * 3);  // two features and a response per row
  const std::vector<std::int32_t> label = {1, 2, 3, 4};
  const Dataset data = Dataset::Builder()
                           .borrow_real("x", table, {2}, 3)
                           .borrow_real("y", std::span(table).subspan(2), {}, 3)
                           .borrow_integer("label", label)
                           .build();
  EXPECT_EQ(data.rows(), 4);
  EXPECT_EQ(data.memory_bytes(), 0u);
  const ColumnView& x = data.store().column("x");
  EXPECT_EQ(x.base, reinterpret_cast<const std::byte*>(table.data()));
  EXPECT_EQ(x.stride_bytes, 3 * sizeof(double));
  EXPECT_FALSE(x.overread_safe);
  EXPECT_EQ(element<double>(x, 3, 1), table[10]);
  EXPECT_EQ(element<double>(data.store().column("y"), 3), table[11]);
  EXPECT_EQ(data.store().column("label").integer(2, 0), 3);
}

TEST(Dataset, BorrowedFloat_KeepsItsOwnPrecision) {
  const std::vector<float> x = {1.0f, 2.0f};
  const Dataset data = Dataset::Builder(Precision::float64).borrow_real("x", x).build();
  EXPECT_EQ(data.store().column("x").type, StorageType::float32);
}

TEST(Dataset, Sparse_IsCopiedOrBorrowed) {
  const std::vector<std::int64_t> start = {0, 2, 2, 3};
  const std::vector<std::int32_t> column = {4, 0, 2};
  const std::vector<double> value = {1.0, -2.0, 3.0};
  const SparseRows rows{start, column, value, 5};
  const std::vector<double> y = counting(3);
  const Dataset copied = Dataset::Builder().sparse("x", rows).real("y", y).build();
  const ColumnView& own = copied.store().column("x");
  EXPECT_EQ(copied.rows(), 3);
  EXPECT_EQ(own.kind, ColumnKind::sparse);
  EXPECT_EQ(own.row_shape, (Shape{5}));
  EXPECT_NE(own.sparse_value, value.data());
  EXPECT_EQ(std::vector<std::int64_t>(own.row_start, own.row_start + 4), start);
  EXPECT_EQ(std::vector<std::int32_t>(own.sparse_column, own.sparse_column + 3), column);
  EXPECT_EQ(std::vector<double>(own.sparse_value, own.sparse_value + 3), value);

  const Dataset borrowed = Dataset::Builder().borrow_sparse("x", rows).build();
  EXPECT_EQ(borrowed.store().column("x").sparse_value, value.data());
  EXPECT_EQ(borrowed.memory_bytes(), 0u);
}

TEST(Dataset, ColumnsWithoutRows_AreAccepted) {
  const std::vector<double> none;
  const std::vector<std::int32_t> labels;
  const Dataset data = Dataset::Builder().real("x", none, {3}).integer("y", labels).borrow_real("z", none).build();
  EXPECT_TRUE(data);
  EXPECT_EQ(data.rows(), 0);
  EXPECT_EQ(data.row_shape("x"), (Shape{3}));
  EXPECT_EQ(Dataset::Builder().build().rows(), 0);
}

TEST(Dataset, Copies_ShareTheSameMemory) {
  const std::vector<double> x = counting(3);
  const Dataset data = Dataset::Builder().real("x", x).build();
  const Dataset copy = data;
  EXPECT_EQ(&copy.store(), &data.store());
}

TEST(DatasetStore, Blocks_MergeColumnsOfOneRowAndCoverOnlyThoseNamed) {
  const std::vector<double> x = counting(4 * 10), other = counting(4), table = counting(4 * 3);
  const std::vector<std::int32_t> label(4, 1);
  const Dataset data = Dataset::Builder()
                           .real("x", x, {10})
                           .integer("label", label)
                           .borrow_real("other", other)
                           .borrow_real("a", table, {}, 3)
                           .borrow_real("b", std::span(table).subspan(2), {}, 3)
                           .build();
  const DatasetStore& store = data.store();
  auto blocks = [&](std::vector<std::string> names) { return store.blocks(names); };

  const auto packed = blocks({"label", "x", "label"});
  ASSERT_EQ(packed.size(), 1u);
  EXPECT_EQ(packed[0].base, store.column("x").base);
  EXPECT_EQ(packed[0].stride_bytes, 128u);
  EXPECT_EQ(packed[0].used_bytes, 84u);

  const auto label_only = blocks({"label"});
  ASSERT_EQ(label_only.size(), 1u);
  EXPECT_EQ(label_only[0].base, store.column("label").base);
  EXPECT_EQ(label_only[0].used_bytes, 4u);

  const auto mixed = blocks({"a", "x", "other", "b"});
  ASSERT_EQ(mixed.size(), 3u);
  EXPECT_EQ(mixed[0].base, reinterpret_cast<const std::byte*>(table.data()));
  EXPECT_EQ(mixed[0].used_bytes, 24u);
  EXPECT_EQ(mixed[2].stride_bytes, 8u);
  EXPECT_THROW(blocks({"absent"}), DataError);
}

TEST(Dataset, IntegersThatMakeRowsShorter_TakeFewerBits) {
  std::vector<std::int32_t> many, one;
  for (int i = 0; i < 100; ++i) {
    for (int k = 0; k < 40; ++k) many.push_back(i * k % 200);
    one.push_back(1000 * i);
  }
  const Dataset narrow = Dataset::Builder().integer("many", many, {40}).integer("one", one).build();
  EXPECT_EQ(narrow.store().column("many").type, StorageType::uint8);
  EXPECT_EQ(narrow.store().column("one").type, StorageType::int32) << "up to 99000";
  EXPECT_EQ(narrow.store().column("many").stride_bytes, 64u);
  for (std::uint32_t i = 0; i < 100; ++i) {
    EXPECT_EQ(narrow.store().column("one").integer(i, 0), one[i]);
    for (std::int64_t k = 0; k < 40; ++k)
      ASSERT_EQ(narrow.store().column("many").integer(i, k), many[40 * i + static_cast<std::size_t>(k)]);
  }
  // A real number takes eight bytes, and a row is a power of two of them, however few bits the integer takes.
  std::vector<double> x(100, 1.5);
  const Dataset same = Dataset::Builder().real("x", x).integer("one", std::vector<std::int32_t>(100, 1)).build();
  EXPECT_EQ(same.store().column("one").type, StorageType::int32);
}

}  // namespace
}  // namespace sgmcmc
