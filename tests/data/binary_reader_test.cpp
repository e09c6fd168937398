// Tests of the NPY and IDX readers: every element type, both byte orders, both axis orders.
#include "data/binary_files.hpp"
#include "data/formats/idx_reader.hpp"
#include "data/formats/npy_reader.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace sgmcmc {
namespace {

using testing::bytes_of_all;
using testing::idx_header;
using testing::npy_header;

std::vector<double> values_of(const DataArray& array) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < array.size(); ++i) values.push_back(array[i]);
  return values;
}

DataArray npy(const std::string& content, WantedKind kind = WantedKind::either) {
  Input input("x.npy", content);
  return read_npy(input, kind);
}

DataArray idx(const std::string& content, WantedKind kind = WantedKind::either) {
  Input input("x.idx", content);
  return read_idx(input, kind);
}

template <class T>
void check_type(const std::string& code, const std::vector<T>& values, bool is_integer) {
  const std::vector<double> expected(values.begin(), values.end());
  std::string shape = "(";
  shape.append(std::to_string(values.size())).append(",)");
  for (const bool is_big : {false, true}) {
    std::string type(1, is_big ? '>' : '<');
    type += code;
    const std::string content = npy_header(type, "False", shape) + bytes_of_all(values, is_big);
    EXPECT_EQ(npy(content).is_integer(), is_integer) << code;
    EXPECT_EQ(values_of(npy(content)), expected) << code;
    EXPECT_TRUE(npy(content, WantedKind::real).is_real()) << code;
    EXPECT_EQ(values_of(npy(content, WantedKind::real)), expected) << code;
  }
}

TEST(NpyReader, EveryElementType_IsRead) {
  check_type<std::int8_t>("i1", {-128, 0, 127}, true);
  check_type<std::uint8_t>("u1", {0, 255}, true);
  check_type<std::int16_t>("i2", {-32768, 5, 32767}, true);
  check_type<std::uint16_t>("u2", {0, 65535}, true);
  check_type<std::int32_t>(
      "i4", {std::numeric_limits<std::int32_t>::min(), 7, std::numeric_limits<std::int32_t>::max()}, true);
  check_type<std::uint32_t>("u4", {0, 2147483647}, true);
  check_type<std::uint32_t>("u4", {0, 4294967295}, false);
  check_type<std::int64_t>("i8", {-5, 2147483647}, true);
  check_type<std::int64_t>("i8", {-5, 2147483648}, false);
  check_type<std::uint64_t>("u8", {1, 2}, true);
  check_type<std::uint64_t>("u8", {1, std::uint64_t{1} << 52}, false);
  check_type<float>("f4", {1.5f, -2.25f}, false);
  check_type<double>("f8", {0.1, -1e300, 5e-324}, false);
}

TEST(NpyReader, Booleans_AreZerosAndOnes) {
  const DataArray array = npy(npy_header("|b1", "False", "(3,)") + std::string{'\1', '\0', '\1'});
  EXPECT_EQ(values_of(array), (std::vector<double>{1, 0, 1}));
  EXPECT_TRUE(array.is_integer());
}

TEST(NpyReader, EveryVersion_IsRead) {
  for (const int version : {1, 2, 3}) {
    const DataArray array = npy(npy_header("<f8", "False", "(1, 2)", version) + bytes_of_all<double>({3, 4}, false));
    EXPECT_EQ(array.shape(), (Shape{1, 2}));
    EXPECT_EQ(values_of(array), (std::vector<double>{3, 4}));
  }
}

TEST(NpyReader, ScalarsAndEmptyArrays_AreRead) {
  EXPECT_TRUE(npy(npy_header("<f8", "False", "()") + bytes_of_all<double>({3}, false)).shape().is_scalar());
  EXPECT_EQ(npy(npy_header("<f8", "False", "(0, 5)")).shape(), (Shape{0, 5}));
  EXPECT_EQ(npy(npy_header("<i8", "True", "(5, 0)")).shape(), (Shape{5, 0}));
}

TEST(NpyReader, FortranOrder_IsTurnedIntoRowMajor) {
  // Element [i, j, k] of 2 x 3 x 4 is 100 i + 10 j + k; the first index runs fastest in the file.
  std::vector<double> in_file, expected;
  for (int k = 0; k < 4; ++k) {
    for (int j = 0; j < 3; ++j) {
      for (int i = 0; i < 2; ++i) in_file.push_back(100 * i + 10 * j + k);
    }
  }
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < 4; ++k) expected.push_back(100 * i + 10 * j + k);
    }
  }
  const std::string real = npy_header("<f8", "True", "(2, 3, 4)") + bytes_of_all(in_file, false);
  EXPECT_EQ(values_of(npy(real)), expected);
  const std::vector<std::int64_t> integers(in_file.begin(), in_file.end());
  const DataArray array = npy(npy_header("<i8", "True", "(2, 3, 4)") + bytes_of_all(integers, false));
  EXPECT_TRUE(array.is_integer());
  EXPECT_EQ(values_of(array), expected);
  const DataArray vector = npy(npy_header("<f8", "True", "(3,)") + bytes_of_all<double>({1, 2, 3}, false));
  EXPECT_EQ(values_of(vector), (std::vector<double>{1, 2, 3}));
}

TEST(NpyReader, LargeIntegerInFortranOrder_MakesTheArrayReal) {
  const std::string content =
      npy_header("<i8", "True", "(2, 2)") + bytes_of_all<std::int64_t>({1, 2, std::int64_t{1} << 40, 4}, false);
  EXPECT_EQ(values_of(npy(content)), (std::vector<double>{1, std::ldexp(1.0, 40), 2, 4}));
}

TEST(NpyReader, LargerThanTheBuffer_IsRead) {
  std::vector<float> values(100'001);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.25f * static_cast<float>(i);
  const DataArray array = npy(npy_header(">f4", "False", "(100001,)") + bytes_of_all(values, true));
  EXPECT_TRUE(std::ranges::equal(array.reals(), values));
}

TEST(IdxReader, EveryElementType_IsRead) {
  EXPECT_EQ(values_of(idx(idx_header(0x08, {2, 2}) + std::string{'\0', '\1', '\x7f', '\xff'})),
            (std::vector<double>{0, 1, 127, 255}));
  EXPECT_EQ(values_of(idx(idx_header(0x09, {2}) + std::string{'\1', '\xff'})), (std::vector<double>{1, -1}));
  EXPECT_EQ(values_of(idx(idx_header(0x0B, {1}) + bytes_of_all<std::int16_t>({-300}, true))),
            std::vector<double>{-300});
  EXPECT_EQ(values_of(idx(idx_header(0x0C, {1}) + bytes_of_all<std::int32_t>({-70000}, true))),
            std::vector<double>{-70000});
  EXPECT_EQ(values_of(idx(idx_header(0x0D, {1}) + bytes_of_all<float>({1.5f}, true))), std::vector<double>{1.5});
  EXPECT_EQ(values_of(idx(idx_header(0x0E, {1}) + bytes_of_all<double>({0.1}, true))), std::vector<double>{0.1});
}

TEST(IdxReader, Shape_IsThatOfTheHeader) {
  const DataArray array = idx(idx_header(0x08, {2, 3, 4}) + std::string(24, '\7'), WantedKind::real);
  EXPECT_EQ(array.shape(), (Shape{2, 3, 4}));
  EXPECT_TRUE(array.is_real());
  EXPECT_EQ(array.reals()[23], 7.0);
}

}  // namespace
}  // namespace sgmcmc
