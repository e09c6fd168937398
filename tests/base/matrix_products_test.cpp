// Matrix products beside plain loops, for sizes around the width of vectors and for blocks of larger matrices.
#include "base/matrix_products.hpp"

#include <sgmcmc/random.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace sgmcmc {
namespace {

constexpr std::int64_t stride = 90;

std::vector<double> numbers(std::uint64_t seed) {
  std::vector<double> values(stride * stride);
  fill_normal({seed, 1, 1}, values, 0);
  return values;
}

TEST(MatrixProducts, EqualPlainSums) {
  const auto left = numbers(1), right = numbers(2), before = numbers(3);
  for (const std::int64_t rows : {1, 3, 8, 17, 50})
    for (const std::int64_t columns : {1, 2, 9, 33})
      for (const std::int64_t depth : {1, 7, 64}) {
        auto outer = before, inner = before, lower = before;
        add_outer_products({left.data(), rows, depth, stride}, {right.data(), columns, depth, stride}, outer.data(),
                           stride);
        set_inner_products({left.data(), depth, rows, stride}, {right.data(), depth, columns, stride}, inner.data(),
                           stride);
        add_symmetric_products({left.data(), rows, depth, stride}, {left.data(), rows, depth, stride}, lower.data(),
                               stride);
        for (std::int64_t j = 0; j < stride; ++j)
          for (std::int64_t i = 0; i < stride; ++i) {
            const auto at = static_cast<std::size_t>(i + j * stride);
            double of_rows = before[at], of_columns = 0, of_left = before[at];
            for (std::int64_t k = 0; k < depth; ++k) {
              of_rows +=
                  left[static_cast<std::size_t>(i + k * stride)] * right[static_cast<std::size_t>(j + k * stride)];
              of_columns +=
                  left[static_cast<std::size_t>(k + i * stride)] * right[static_cast<std::size_t>(k + j * stride)];
              of_left +=
                  left[static_cast<std::size_t>(i + k * stride)] * left[static_cast<std::size_t>(j + k * stride)];
            }
            const bool inside = i < rows && j < columns, below = i < rows && j <= i;
            ASSERT_NEAR(outer[at], inside ? of_rows : before[at], inside ? 1e-12 : 0) << rows << " " << columns;
            ASSERT_NEAR(inner[at], inside ? of_columns : before[at], inside ? 1e-12 : 0) << rows << " " << columns;
            ASSERT_NEAR(lower[at], below ? of_left : before[at], below ? 1e-12 : 0) << rows;
          }
      }
}

}  // namespace
}  // namespace sgmcmc
