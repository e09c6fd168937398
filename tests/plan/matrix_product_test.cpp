// Matrix products: exact on whole numbers for every layout and for sizes around every block, nothing read or written
// outside the matrices, and elements that are bit-identical in whichever block they are computed.
#include "plan/matrix_product.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <vector>

namespace sgmcmc::testing {
namespace {

/// A matrix in an allocation of exactly its size: a sanitizer sees every read beyond.
template <class Real>
struct StoredMatrix {
  /// scattered: lines lie in another order, each with unused numbers behind it.
  StoredMatrix(std::int64_t rows, std::int64_t columns, bool row_major, bool scattered)
      : rows_(rows), line_count_(row_major ? rows : columns), length_(row_major ? columns : rows) {
    const std::int64_t stride = length_ + (scattered ? 3 : 0);
    const auto size = static_cast<std::size_t>(std::max<std::int64_t>(line_count_ * stride - (scattered ? 3 : 0), 0));
    values_ = std::make_unique<Real[]>(size);
    for (std::size_t i = 0; i < size; ++i) values_[i] = static_cast<Real>(static_cast<int>(i * 7 % 11) - 5);
    if (scattered) {
      order_.resize(static_cast<std::size_t>(line_count_));
      std::iota(order_.begin(), order_.end(), 0U);
      std::reverse(order_.begin(), order_.end());
    }
    view = {values_.get(), stride, row_major, scattered ? order_.data() : nullptr};
  }
  Real at(std::int64_t i, std::int64_t j) const { return view.row_major ? view.line(i)[j] : view.line(j)[i]; }
  Real& value(std::size_t at) { return values_[at]; }

  MatrixView<Real> view;

 private:
  std::int64_t rows_, line_count_, length_;
  std::unique_ptr<Real[]> values_;
  std::vector<std::uint32_t> order_;
};

constexpr int untouched = 77;

template <class Real>
void expect_exact(std::int64_t rows, std::int64_t columns, std::int64_t depth, bool a_by_rows, bool b_by_rows,
                  bool scattered, bool add) {
  const StoredMatrix<Real> a(rows, depth, a_by_rows, scattered);
  const StoredMatrix<Real> b(depth, columns, b_by_rows, scattered);
  const std::int64_t stride = rows + 2;
  std::vector<Real> c(static_cast<std::size_t>(stride * columns), Real(untouched));
  MatrixProduct<Real> product(rows, columns, depth);
  if (add)
    product.add(rows, columns, depth, a.view, b.view, c.data(), stride);
  else
    product.set(rows, columns, depth, a.view, b.view, c.data(), stride);
  for (std::int64_t j = 0; j < columns; ++j) {
    for (std::int64_t i = 0; i < stride; ++i) {
      Real expected = i >= rows || add ? Real(untouched) : Real(0);
      for (std::int64_t k = 0; i < rows && k < depth; ++k) expected += a.at(i, k) * b.at(k, j);
      ASSERT_EQ(c[static_cast<std::size_t>(j * stride + i)], expected)
          << rows << " x " << columns << " x " << depth << ", row " << i << ", column " << j << ", a by "
          << (a_by_rows ? "rows" : "columns") << ", b by " << (b_by_rows ? "rows" : "columns")
          << (scattered ? ", scattered" : "") << (add ? ", added" : "");
    }
  }
}

template <class Real>
void expect_exact_in_every_layout(std::int64_t rows, std::int64_t columns, std::int64_t depth) {
  for (int layout = 0; layout < 16; ++layout)
    expect_exact<Real>(rows, columns, depth, layout & 1, layout & 2, layout & 4, layout & 8);
}

TEST(MatrixProduct, SizesAroundTilesAndStrips_AreExactInEveryLayout) {
  for (const std::int64_t rows : {1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 67})
    for (const std::int64_t columns : {1, 2, 3, 6, 7, 13, 14, 15, 29})
      for (const std::int64_t depth : {0, 1, 3, 8, 16, 21}) {
        expect_exact_in_every_layout<double>(rows, columns, depth);
        expect_exact_in_every_layout<float>(rows, columns, depth);
      }
}

TEST(MatrixProduct, SizesAroundBlocks_AreExactInEveryLayout) {
  for (const auto& [rows, columns, depth] :
       {std::array<std::int64_t, 3>{129, 5, 193}, {65, 15, 385}, {140, 9, 770}, {5, 1030, 7}}) {
    expect_exact_in_every_layout<double>(rows, columns, depth);
    expect_exact_in_every_layout<float>(rows, columns, depth);
  }
}

template <class Real>
void expect_same_bits_in_blocks() {
  constexpr std::int64_t rows = 77, columns = 31, depth = 400;
  StoredMatrix<Real> a(rows, depth, true, false), b(depth, columns, false, false);
  for (std::size_t i = 0; i < rows * depth; ++i) a.value(i) = Real(1) / static_cast<Real>(i % 97 + 1);
  for (std::size_t i = 0; i < columns * depth; ++i) b.value(i) = Real(1) / static_cast<Real>(i % 89 + 1);
  std::vector<Real> whole(rows * columns), parts(rows * columns);
  MatrixProduct<Real> product(rows, columns, depth);
  product.set(rows, columns, depth, a.view, b.view, whole.data(), rows);
  for (const std::int64_t row : {0, 3, 20, 52})
    for (const std::int64_t column : {0, 1, 17}) {
      const std::int64_t rows_here = std::min<std::int64_t>(25, rows - row);
      const std::int64_t columns_here = std::min<std::int64_t>(14, columns - column);
      parts = whole;
      for (std::int64_t j = 0; j < columns_here; ++j)
        std::fill_n(parts.begin() + row + (column + j) * rows, rows_here, Real(0));
      product.set(rows_here, columns_here, depth, a.view.from_line(row), b.view.from_line(column),
                  parts.data() + row + column * rows, rows);
      EXPECT_EQ(std::memcmp(whole.data(), parts.data(), whole.size() * sizeof(Real)), 0) << row << ", " << column;
    }
}

TEST(MatrixProduct, Blocks_HaveTheBitsOfTheWhole) {
  expect_same_bits_in_blocks<double>();
  expect_same_bits_in_blocks<float>();
}

}  // namespace
}  // namespace sgmcmc::testing
