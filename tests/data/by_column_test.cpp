// Column-major arrays: packed like the same numbers given row by row, and refused with the same messages.
#include "data/store.hpp"

#include <sgmcmc/dataset.hpp>
#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace sgmcmc {
namespace {

struct Arrays {
  std::vector<double> by_row, by_column;
};

/// The same numbers in both orders.
Arrays arrays_of(std::size_t rows, const Shape& shape) {
  const auto size = static_cast<std::size_t>(shape.size());
  Arrays all{std::vector<double>(rows * size), std::vector<double>(rows * size)};
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t element = 0; element < size; ++element) {
      std::size_t rest = element, at = 0;
      std::vector<std::size_t> index(shape.rank());
      for (std::size_t axis = shape.rank(); axis-- > 0;) {
        index[axis] = rest % static_cast<std::size_t>(shape[axis]);
        rest /= static_cast<std::size_t>(shape[axis]);
      }
      for (std::size_t axis = shape.rank(); axis-- > 0;) at = at * static_cast<std::size_t>(shape[axis]) + index[axis];
      const double value = static_cast<double>(row) + 0.001 * static_cast<double>(element);
      all.by_row[row * size + element] = value;
      all.by_column[at * rows + row] = value;
    }
  return all;
}

template <class Number>
std::vector<Number> packed_values(const Dataset& data, const std::string& name) {
  const ColumnView& column = data.store().column(name);
  std::vector<Number> values;
  for (std::int64_t row = 0; row < data.rows(); ++row) {
    const auto* first = reinterpret_cast<const Number*>(column.row(static_cast<std::uint32_t>(row)));
    values.insert(values.end(), first, first + column.row_shape.size());
  }
  return values;
}

std::string complaint(const std::function<Dataset()>& build) {
  try {
    build();
  } catch (const DataError& error) {
    return error.what();
  }
  return "";
}

TEST(ByColumn, EveryShape_IsPackedAsTheSameNumbersByRow) {
  for (const std::size_t rows : {1u, 2u, 63u, 64u, 65u, 1000u, 40000u})
    for (const Shape& shape : {Shape{}, Shape{1}, Shape{3}, Shape{2, 3}, Shape{2, 3, 4}, Shape{4, 1, 2}}) {
      const Arrays arrays = arrays_of(rows, shape);
      std::vector<int> label(rows, 7);
      const Dataset given = Dataset::Builder().real_by_column("x", arrays.by_column, shape).integer("y", label).build();
      EXPECT_EQ(packed_values<double>(given, "x"), arrays.by_row) << rows << " " << shape.to_string();
      EXPECT_EQ(packed_values<std::int32_t>(given, "y"), label);
      const auto single = Dataset::Builder(Precision::float32).real_by_column("x", arrays.by_column, shape).build();
      const auto expected = Dataset::Builder(Precision::float32).real("x", arrays.by_row, shape).build();
      EXPECT_EQ(packed_values<float>(single, "x"), packed_values<float>(expected, "x"));
    }
}

TEST(ByColumn, BadValues_AreRefusedAsByRow) {
  const Shape shape{2, 3};
  for (const std::size_t rows : {1u, 65u, 500u})
    for (const std::size_t bad : {rows - 1, rows / 2, std::size_t{0}}) {
      Arrays arrays = arrays_of(rows, shape);
      std::vector<double> other(rows, 1.0);
      arrays.by_row[bad * 6 + 4] = std::numeric_limits<double>::quiet_NaN();
      for (std::size_t k = 0; k < arrays.by_column.size(); ++k)
        if (arrays.by_column[k] == static_cast<double>(bad) + 0.004) arrays.by_column[k] = arrays.by_row[bad * 6 + 4];
      const std::string by_row =
          complaint([&] { return Dataset::Builder().real("x", arrays.by_row, shape).real("z", other).build(); });
      const std::string by_column = complaint(
          [&] { return Dataset::Builder().real_by_column("x", arrays.by_column, shape).real("z", other).build(); });
      EXPECT_NE(by_row, "");
      EXPECT_EQ(by_column, by_row);
      other[0] = std::numeric_limits<double>::infinity();  // in the first row of the second column
      const std::string first =
          complaint([&] { return Dataset::Builder().real("x", arrays.by_row, shape).real("z", other).build(); });
      EXPECT_EQ(complaint([&] {
                  return Dataset::Builder().real_by_column("x", arrays.by_column, shape).real("z", other).build();
                }),
                first);
    }
}

}  // namespace
}  // namespace sgmcmc
