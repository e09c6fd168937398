// Tests of arrays as read from files: kinds, conversions, shared and released memory.
#include "data/array.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

namespace sgmcmc {
namespace {

std::vector<std::int32_t> counting(std::size_t count) {
  std::vector<std::int32_t> values(count);
  std::iota(values.begin(), values.end(), -7);
  return values;
}

TEST(DataArray, Default_IsEmptyAndInteger) {
  const DataArray array;
  EXPECT_TRUE(array.is_integer());
  EXPECT_EQ(array.shape(), Shape{0});
  EXPECT_TRUE(array.integers().empty());
  EXPECT_TRUE(array.to_real().reals().empty());
}

TEST(DataArray, Copies_ShareMemory) {
  const DataArray array = DataArray::copy_of(std::vector<double>{1, 2, 3}, Shape{3});
  const DataArray copy = array;
  EXPECT_EQ(copy.reals().data(), array.reals().data());
}

TEST(DataArray, Lent_ReadsTheValuesWhereTheyAre) {
  auto values = std::make_shared<std::vector<double>>(std::vector<double>{1, 2, 3, 4, 5, 6});
  const std::weak_ptr<const void> watch = values;
  const double* where = values->data();
  {
    const DataArray array = DataArray::lent(*values, Shape{3, 2}, values);
    values.reset();
    ASSERT_FALSE(watch.expired());  // the array keeps it alive
    EXPECT_TRUE(array.is_real());
    EXPECT_EQ(array.reals().data(), where);
    EXPECT_EQ(array.identity(), where);
    EXPECT_EQ(array.reshaped(Shape{6}).reals().data(), where);
    EXPECT_EQ(array.to_real().reals().data(), where);
    array.release_rows(0, 3);  // not ours to give back
    EXPECT_EQ(array[5], 6.0);
    EXPECT_TRUE(array.floats().empty());
  }
  EXPECT_TRUE(watch.expired());
}

TEST(DataArray, LentSinglePrecision_IsWidenedOnceAndOnlyWhenAsked) {
  auto values = std::make_shared<std::vector<float>>(std::vector<float>{0.5F, 0.1F, 3});
  const DataArray array = DataArray::lent(*values, Shape{3}, values);
  EXPECT_EQ(array.floats().data(), values->data());
  EXPECT_EQ(array.identity(), values->data());
  EXPECT_EQ(array.owner(), values);
  EXPECT_TRUE(array.is_real());
  const auto wide = array.reals();
  EXPECT_EQ(wide[1], static_cast<double>(0.1F));
  EXPECT_EQ(array.reals().data(), wide.data());
}

TEST(DataArray, ToReal_KeepsValuesInPlaceOrNot) {
  for (const std::size_t count : {std::size_t{0}, std::size_t{5}, std::size_t{100'000}, std::size_t{1'000'000}}) {
    const auto values = counting(count);
    const std::vector<double> expected(values.begin(), values.end());
    DataArray array = DataArray::copy_of(values, Shape{static_cast<std::int64_t>(count)});
    const DataArray kept = array;
    const DataArray copied = std::move(array).to_real();  // `kept` shares the memory, so it is not widened in place
    EXPECT_TRUE(std::ranges::equal(kept.integers(), values));
    EXPECT_TRUE(std::ranges::equal(copied.reals(), expected));
    const DataArray in_place = DataArray::copy_of(values, copied.shape()).to_real();
    EXPECT_TRUE(std::ranges::equal(in_place.reals(), expected));
    EXPECT_EQ(in_place.shape(), copied.shape());
  }
}

TEST(DataArray, ToInteger_FindsTheFirstValueThatIsNone) {
  const auto whole = DataArray::copy_of(std::vector<double>{1, -2147483648.0, 2147483647.0, -0.0}, Shape{2, 2});
  const auto integers = whole.to_integer();
  ASSERT_TRUE(integers.array.has_value());
  EXPECT_EQ(integers.array->shape(), (Shape{2, 2}));
  EXPECT_EQ(integers.array->integers()[1], std::numeric_limits<std::int32_t>::min());
  for (const double bad : {0.5, 2147483648.0, -2147483649.0, std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::infinity()}) {
    const auto refused = DataArray::copy_of(std::vector<double>{1, bad, bad}, Shape{3}).to_integer();
    EXPECT_FALSE(refused.array.has_value());
    EXPECT_EQ(refused.bad_index, 1);
  }
}

TEST(DataArray, Sparse_BecomesDense) {
  GrowingMemory<std::int64_t> row_start;
  GrowingMemory<std::int32_t> column;
  GrowingMemory<double> value;
  for (const std::int64_t start : {0, 2, 2, 3}) row_start.push_back(start);
  for (const std::int32_t index : {0, 2, 1}) column.push_back(index);
  for (const double entry : {1.5, -2.0, 4.0}) value.push_back(entry);
  const DataArray array(std::move(row_start), std::move(column), std::move(value), 3);
  EXPECT_TRUE(array.is_sparse());
  EXPECT_EQ(array.shape(), (Shape{3, 3}));
  EXPECT_EQ(array.sparse().column[1], 2);
  EXPECT_TRUE(std::ranges::equal(array.to_real().reals(), std::vector<double>{1.5, 0, -2, 0, 0, 0, 0, 4, 0}));
}

TEST(DataArray, ReleasedRows_LeaveTheOthersAsTheyWere) {
  const std::int64_t rows = 10'000, columns = 50;
  std::vector<double> values(static_cast<std::size_t>(rows * columns));
  std::iota(values.begin(), values.end(), 1.0);
  const DataArray array = DataArray::copy_of(values, Shape{rows, columns});
  const DataArray copy = array;
  array.release_rows(2'000, 6'000);
  const auto left = copy.reals();
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t j = 0; j < columns; ++j) {
      const auto position = static_cast<std::size_t>(row * columns + j);
      const bool is_released = row >= 2'000 && row < 8'000;
      if (!is_released) {
        ASSERT_EQ(left[position], values[position]);
      }
    }
  }
  EXPECT_EQ(left[static_cast<std::size_t>(5'000 * columns)], 0.0);  // far from both ends: its page is gone
}

TEST(DataArray, ReleasedRowsOfSmallArray_AreKept) {
  const DataArray array = DataArray::copy_of(std::vector<std::int32_t>{1, 2, 3}, Shape{3});
  array.release_rows(0, 3);
  EXPECT_EQ(array.integers()[2], 3);
  DataArray::scalar(2.0).release_rows(0, 1);
}

TEST(GrowingMemory, Growth_KeepsValuesAcrossAllSizes) {
  GrowingMemory<std::int64_t> memory;
  const std::int64_t count = 2'000'000;  // from the heap, through pages, to huge pages
  for (std::int64_t i = 0; i < count; ++i) memory.push_back(i);
  memory.reserve(12'000'000);
  memory.shrink_to_fit();
  ASSERT_EQ(memory.size(), static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) ASSERT_EQ(memory[static_cast<std::size_t>(i)], i);
}

TEST(GrowingMemory, AbsurdSize_ThrowsAndKeepsTheContent) {
  GrowingMemory<double> memory;
  memory.push_back(5);
  EXPECT_THROW(memory.reserve(std::size_t{1} << 60), std::bad_alloc);
  EXPECT_THROW(memory.reserve(std::size_t{1} << 50), std::bad_alloc);
  EXPECT_EQ(memory[0], 5);
}

TEST(GrowingMemory, NarrowAfterWiden_IsTheSame) {
  for (const std::size_t count : {std::size_t{3}, std::size_t{50'000}}) {
    const auto values = counting(count);
    GrowingMemory<std::int32_t> memory;
    for (const auto value : values) memory.push_back(value);
    const auto again = narrow(widen(std::move(memory)));
    EXPECT_TRUE(std::ranges::equal(again.span(), values));
  }
}

}  // namespace
}  // namespace sgmcmc
