// Tests of what Dataset::Builder refuses, and that the message says where and why.
#include "data/store.hpp"

#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace sgmcmc {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();

std::string refusal_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const DataError& error) {
    return error.what();
  }
  return "(accepted)";
}

std::string refusal_of(Dataset::Builder& builder) {
  return refusal_of([&] { builder.build(); });
}

void expect_words(const std::string& message, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    EXPECT_NE(message.find(word), std::string::npos) << "'" << word << "' is missing from: " << message;
  }
}

TEST(Builder, DifferentNumbersOfRows_NamesBothColumnsAndCounts) {
  const std::vector<double> x(12), y(5);
  Dataset::Builder builder;
  builder.real("x", x, {2}).real("y", y);
  expect_words(refusal_of(builder), {"'x' has 6 rows", "'y' has 5"});
}

TEST(Builder, IncompleteLastRow_IsRefused) {
  const std::vector<double> x(13);
  Dataset::Builder builder;
  builder.real("x", x, {2, 3});
  expect_words(refusal_of(builder), {"'x'", "13 values", "rows of 6", "[2, 3]"});
}

TEST(Builder, UnusableShape_IsRefused) {
  const std::vector<double> x(4);
  for (const Shape& shape : {Shape{0}, Shape{-2}, Shape{std::int64_t{1} << 40, 16}}) {
    Dataset::Builder builder;
    builder.real("x", x, shape);
    expect_words(refusal_of(builder), {"'x'", "row shape " + shape.to_string()});
  }
}

TEST(Builder, NonFiniteValue_NamesColumnRowAndElement) {
  for (const bool borrowed : {false, true}) {
    for (const auto& [value, word] :
         {std::pair{not_a_number, "NaN"}, {infinite, "infinity"}, {-infinite, "-infinity"}}) {
      std::vector<double> x(20 * 6, 1.0), y(20, 1.0);
      x[17 * 6 + 5] = value;
      y[18] = not_a_number;  // a later row: the first one is reported
      Dataset::Builder builder;
      if (borrowed) {
        builder.borrow_real("y", y).borrow_real("x", x, {2, 3});
      } else {
        builder.real("y", y).real("x", x, {2, 3});
      }
      expect_words(refusal_of(builder), {"'x'", "row 17,", "element [1, 2]", word});
    }
  }
}

TEST(Builder, NonFiniteFloat_IsFoundInEveryPositionOfTheRow) {
  for (const Precision precision : {Precision::float64, Precision::float32}) {
    for (std::size_t position = 0; position < 37; ++position) {
      std::vector<float> x(3 * 37, 1.0f);
      x[2 * 37 + position] = std::numeric_limits<float>::quiet_NaN();
      Dataset::Builder builder(precision);
      builder.real("x", x, {37});
      expect_words(refusal_of(builder), {"row 2, element " + std::to_string(position) + ":", "NaN"});
    }
  }
}

TEST(Builder, NonFiniteValueInManyRows_ReportsTheFirstOfAllThreads) {
  std::vector<double> x(3'000'000, 1.0);
  x[2'999'999] = x[1'600'001] = x[2'000'000] = not_a_number;
  Dataset::Builder builder;
  builder.real("x", x);
  expect_words(refusal_of(builder), {"row 1600001: NaN"});
}

TEST(Builder, ExtremeFiniteValues_AreAccepted) {
  const std::vector<double> x = {std::numeric_limits<double>::max(), std::numeric_limits<double>::lowest(),
                                 std::numeric_limits<double>::denorm_min(), -0.0};
  Dataset::Builder builder;
  builder.real("x", x);
  EXPECT_EQ(refusal_of(builder), "(accepted)");
}

TEST(Builder, DoubleBeyondFloat_IsRefusedInFloat32) {
  const std::vector<double> x = {1.0, -1e39};
  Dataset::Builder builder(Precision::float32);
  builder.real("x", x);
  expect_words(refusal_of(builder), {"'x'", "row 1", "-1e+39", "float32"});
}

TEST(Builder, WideInteger_IsRefusedWhereItDoesNotFit) {
  const std::vector<std::int64_t> y = {0, 1, 2147483647, 2147483648};
  Dataset::Builder builder;
  builder.integer("y", y, {2});
  expect_words(refusal_of(builder), {"'y'", "row 1, element 1", "2147483648", "32 bits"});
}

TEST(Builder, TooManyRows_IsRefusedBeforeAnyValueIsRead) {
  const std::int32_t one = 1;
  const std::span<const std::int32_t> claimed(&one, std::size_t{1} << 32);
  Dataset::Builder builder;
  builder.borrow_integer("y", claimed);
  expect_words(refusal_of(builder), {"'y'", "4294967296 rows"});
}

TEST(Builder, NameGivenTwice_IsRefused) {
  const std::vector<double> x(3);
  Dataset::Builder builder;
  builder.real("x", x).borrow_real("x", x);
  expect_words(refusal_of(builder), {"'x'", "twice"});
  Dataset::Builder nameless;
  nameless.real("", x);
  expect_words(refusal_of(nameless), {"empty name"});
}

TEST(Builder, BorrowedStride_MustHoldARowAndEndWithOne) {
  const std::vector<double> x(25, 1.0);
  Dataset::Builder narrow;
  narrow.borrow_real("x", x, {3}, 2);
  expect_words(refusal_of(narrow), {"row_stride is 2", "3 elements"});
  auto rows_of = [&](std::size_t count) {
    return Dataset::Builder().borrow_real("x", std::span(x).first(count), {3}, 10).build().rows();
  };
  EXPECT_EQ(rows_of(20), 2);
  EXPECT_EQ(rows_of(23), 3);
  EXPECT_EQ(rows_of(0), 0);
  EXPECT_THROW(rows_of(22), DataError);
  EXPECT_THROW(rows_of(2), DataError);
}

struct SparseParts {
  std::vector<std::int64_t> start = {0, 2, 2, 3};
  std::vector<std::int32_t> column = {4, 0, 2};
  std::vector<double> value = {1.0, -2.0, 3.0};

  std::string refusal(bool borrowed) const {
    Dataset::Builder builder;
    const SparseRows rows{start, column, value, 5};
    if (borrowed) {
      builder.borrow_sparse("s", rows);
    } else {
      builder.sparse("s", rows);
    }
    return refusal_of(builder);
  }
};

TEST(Builder, SparseFaults_AreRefusedWithTheRow) {
  for (const bool borrowed : {false, true}) {
    EXPECT_EQ(SparseParts().refusal(borrowed), "(accepted)");
    expect_words(SparseParts{.start = {0, 2, 1, 3}}.refusal(borrowed), {"'s'", "row 1", "decrease"});
    expect_words(SparseParts{.start = {0, 2, 9, 3}}.refusal(borrowed), {"row 1", "3 entries"});
    expect_words(SparseParts{.start = {1, 2, 2, 3}}.refusal(borrowed), {"begin with 0"});
    expect_words(SparseParts{.start = {0, 2, 2, 2}}.refusal(borrowed), {"ends with 2", "3 entries"});
    expect_words(SparseParts{.start = {}}.refusal(borrowed), {"row_start is empty"});
    expect_words(SparseParts{.column = {4, 0, 5}}.refusal(borrowed), {"row 2", "index 5", "0 to 4"});
    expect_words(SparseParts{.column = {4, -1, 2}}.refusal(borrowed), {"row 0", "index -1"});
    expect_words(SparseParts{.column = {4, 0}}.refusal(borrowed), {"2 column indices", "3 values"});
    expect_words(SparseParts{.value = {1.0, 2.0, infinite}}.refusal(borrowed), {"row 2, element 2", "infinity"});
  }
}

TEST(DatasetStore, UnknownName_ListsKnownNamesAndTheNearest) {
  const std::vector<double> x(2);
  const Dataset data = Dataset::Builder().real("label", x).real("features", x).build();
  expect_words(refusal_of([&] { data.column_kind("lable"); }),
               {"no column 'lable'", "Did you mean 'label'?", "'label', 'features'"});
  const std::string far = refusal_of([&] { data.row_shape("q"); });
  expect_words(far, {"no column 'q'", "Its columns: 'label', 'features'"});
  EXPECT_EQ(far.find("Did you mean"), std::string::npos);
}

}  // namespace
}  // namespace sgmcmc
