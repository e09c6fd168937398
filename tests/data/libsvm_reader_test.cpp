// Tests of what the LIBSVM reader accepts.
#include "data/formats/libsvm_reader.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace sgmcmc {
namespace {

LibsvmData read(const std::string& text, WantedKind kind = WantedKind::either,
                std::size_t buffer_bytes = libsvm_buffer_bytes) {
  Input input("rows.libsvm", text);
  return read_libsvm(input, kind, buffer_bytes);
}

void expect_rows(const LibsvmData& data, const Shape& shape, const std::vector<std::int64_t>& starts,
                 const std::vector<std::int32_t>& columns, const std::vector<double>& values) {
  EXPECT_EQ(data.features.shape(), shape);
  const SparseRows rows = data.features.sparse();
  EXPECT_TRUE(std::ranges::equal(rows.row_start, starts));
  EXPECT_TRUE(std::ranges::equal(rows.column, columns));
  EXPECT_TRUE(std::ranges::equal(rows.value, values));
}

TEST(LibsvmReader, IndicesFromOne_BecomeColumnsFromZero) {
  const LibsvmData data = read("+1 1:0.5 3:-2\n-1 2:1e-3\n");
  expect_rows(data, {2, 3}, {0, 2, 3}, {0, 2, 1}, {0.5, -2, 1e-3});
  EXPECT_TRUE(data.labels.is_integer());
  EXPECT_EQ(data.labels.integers()[0], 1);
  EXPECT_EQ(data.labels.integers()[1], -1);
}

TEST(LibsvmReader, AnIndexZeroAnywhere_CountsFromZero) {
  expect_rows(read("1 2:1\n0 0:3 1:4\n"), {2, 3}, {0, 1, 3}, {2, 0, 1}, {1, 3, 4});
}

TEST(LibsvmReader, EmptyRowsCommentsAndBlanks_AreUnderstood) {
  const LibsvmData data = read("# header\n\n1\t 1:2   # a comment 5:5\r\n0\n  2 2:3 #x\n0 #\n");
  expect_rows(data, {4, 2}, {0, 1, 1, 2, 2}, {0, 1}, {2, 3});
  EXPECT_EQ(data.labels.shape(), Shape{4});
}

TEST(LibsvmReader, RealLabels_MakeThemReal) {
  EXPECT_TRUE(read("1 1:1\n0.5 1:1").labels.is_real());
  EXPECT_TRUE(read("1 1:1\n2 1:1", WantedKind::real).labels.is_real());
}

TEST(LibsvmReader, NoEntriesAtAll_HasNoColumns) { EXPECT_EQ(read("1\n0\n").features.shape(), (Shape{2, 0})); }

TEST(LibsvmReader, AnyBufferSize_GivesTheSameRows) {
  const std::string text = "+1 1:0.5 3:-2.25e1 # c\n\n-1 2:1\n0\n1 1:1 2:2 3:3 4:4 50:5.125";
  for (std::size_t bytes = 1; bytes < text.size() + 3; ++bytes) {
    expect_rows(read(text, WantedKind::either, bytes), {4, 50}, {0, 2, 3, 3, 8}, {0, 2, 1, 0, 1, 2, 3, 49},
                {0.5, -22.5, 1, 1, 2, 3, 4, 5.125});
  }
}

}  // namespace
}  // namespace sgmcmc
