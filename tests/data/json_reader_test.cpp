// Tests of what the JSON reader accepts: values, shapes, kinds, and text split at any position by the buffer.
#include "data/formats/json_reader.hpp"

#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace sgmcmc {
namespace {

std::map<std::string, DataArray> read(const std::string& text, WantedKind kind = WantedKind::either,
                                      std::size_t buffer_bytes = json_buffer_bytes) {
  Input input("data.json", text);
  std::map<std::string, DataArray> arrays;
  read_json_object(input,
                   {[&](const std::string& key) { return key == "skipped" ? std::nullopt : std::optional(kind); },
                    [&](const std::string& key, DataArray array) { arrays.emplace(key, std::move(array)); }},
                   buffer_bytes);
  return arrays;
}

std::vector<double> values_of(const DataArray& array) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < array.size(); ++i) values.push_back(array[i]);
  return values;
}

TEST(JsonReader, Scalars_HaveNoDimensions) {
  const auto arrays = read(R"({"N": 12, "x": -2.5e-3})");
  EXPECT_TRUE(arrays.at("N").is_integer());
  EXPECT_TRUE(arrays.at("N").shape().is_scalar());
  EXPECT_EQ(arrays.at("N").integers()[0], 12);
  EXPECT_TRUE(arrays.at("x").is_real());
  EXPECT_EQ(arrays.at("x").reals()[0], -2.5e-3);
}

TEST(JsonReader, NestedArrays_AreRowMajor) {
  const auto arrays = read(R"({"a": [1, 2, 3], "b": [[1.5, 2], [3, 4], [5, 6]], "c": [[[1, 2]], [[3, 4]]]})");
  EXPECT_EQ(arrays.at("a").shape(), Shape{3});
  EXPECT_EQ(arrays.at("b").shape(), (Shape{3, 2}));
  EXPECT_EQ(arrays.at("c").shape(), (Shape{2, 1, 2}));
  EXPECT_TRUE(arrays.at("a").is_integer());
  EXPECT_TRUE(arrays.at("b").is_real());
  EXPECT_EQ(values_of(arrays.at("b")), (std::vector<double>{1.5, 2, 3, 4, 5, 6}));
  EXPECT_EQ(values_of(arrays.at("c")), (std::vector<double>{1, 2, 3, 4}));
}

TEST(JsonReader, EmptyArrays_KeepTheirDimensions) {
  const auto arrays = read(R"({"a": [], "b": [[], []], "c": [[[]]]})");
  EXPECT_EQ(arrays.at("a").shape(), Shape{0});
  EXPECT_EQ(arrays.at("b").shape(), (Shape{2, 0}));
  EXPECT_EQ(arrays.at("c").shape(), (Shape{1, 1, 0}));
  EXPECT_TRUE(arrays.at("a").is_integer());
}

TEST(JsonReader, OneReal_MakesTheArrayReal) {
  const auto arrays = read(R"({"late": [1, 2, 3, 4.0], "large": [1, 2147483648], "small": [-2147483648]})");
  EXPECT_EQ(values_of(arrays.at("late")), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_TRUE(arrays.at("late").is_real());
  EXPECT_TRUE(arrays.at("large").is_real());
  EXPECT_EQ(arrays.at("large").reals()[1], 2147483648.0);
  EXPECT_TRUE(arrays.at("small").is_integer());
}

TEST(JsonReader, WantedReal_StoresIntegersAsReals) {
  const auto arrays = read(R"({"a": [1, 2], "b": 3})", WantedKind::real);
  EXPECT_TRUE(arrays.at("a").is_real());
  EXPECT_EQ(arrays.at("b").reals()[0], 3.0);
}

TEST(JsonReader, WordsForNonFiniteNumbers_AreRead) {
  const auto array =
      read(R"({"a": ["NaN", "Inf", "Infinity", "-Inf", "-Infinity", "+Inf", NaN, Infinity, -Infinity, -1]})").at("a");
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(std::isnan(array.reals()[0]));
  EXPECT_TRUE(std::isnan(array.reals()[6]));
  const std::vector<double> rest{infinity, infinity, -infinity, -infinity, infinity};
  EXPECT_TRUE(std::ranges::equal(array.reals().subspan(1, 5), rest));
  EXPECT_EQ(array.reals()[7], infinity);
  EXPECT_EQ(array.reals()[8], -infinity);
  EXPECT_EQ(array.reals()[9], -1);
}

TEST(JsonReader, UnwantedKeys_MayHoldAnything) {
  const auto arrays = read(R"({"skipped": {"a": [1, "x", null, {"b": []}, {}], "c\"": "\u00e9\\", "d": -Infinity},
                               "a": 1})");
  EXPECT_EQ(arrays.size(), 1u);
  EXPECT_EQ(arrays.at("a").integers()[0], 1);
}

TEST(JsonReader, KeysWithEscapes_AreDecoded) {
  const auto arrays = read(R"({"a\n\t\"\\\/": 1, "\u00e9\u4e2d\ud83d\ude00": 2})");
  EXPECT_EQ(arrays.count("a\n\t\"\\/"), 1u);
  EXPECT_EQ(arrays.count("\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80"), 1u);
}

TEST(JsonReader, EmptyObjectAndByteOrderMark_AreFine) { EXPECT_TRUE(read("\xEF\xBB\xBF { }\n").empty()); }

TEST(JsonReader, RootArray_IsOneArray) {
  const std::string text = "\n [[1, 2], [3, 4]] \n";
  Input input("x.json", text);
  EXPECT_EQ(read_json_array(input, WantedKind::either).shape(), (Shape{2, 2}));
}

TEST(JsonReader, AnyBufferSize_GivesTheSameArrays) {
  const std::string text =
      R"({"skipped": {"a": "text with \u00e9", "b": [[-1.5e3, true]]}, "first": [[1.25, -20, 3e-7], [4, 123456789.123456789, 0]],)"
      "\n\"second\":[\"-Infinity\", -Infinity,  NaN],\n \"third\" : -0.5}\n";
  const auto expected = read(text);
  for (std::size_t bytes = 1; bytes < text.size() + 3; ++bytes) {
    const auto arrays = read(text, WantedKind::either, bytes);
    ASSERT_EQ(arrays.size(), expected.size());
    for (const auto& [key, array] : expected) {
      ASSERT_EQ(arrays.at(key).shape(), array.shape());
      for (std::int64_t i = 0; i < array.size(); ++i) {
        ASSERT_TRUE(arrays.at(key)[i] == array[i] || std::isnan(array[i])) << key << " buffer " << bytes;
      }
    }
  }
}

TEST(JsonReader, AnyBufferSize_GivesTheSameMessage) {
  const std::string text = "{\n  \"skipped\": [1, \"a b\"],\n  \"x\": [1.5,\n    2, -3x]}";
  const auto message = [&](std::size_t bytes) {
    try {
      read(text, WantedKind::either, bytes);
    } catch (const DataError& error) {
      return std::string(error.what());
    }
    return std::string("(accepted)");
  };
  const std::string expected = message(1000);
  EXPECT_EQ(expected.substr(0, 15), "data.json:4:10:");
  for (std::size_t bytes = 1; bytes < text.size() + 3; ++bytes) EXPECT_EQ(message(bytes), expected) << bytes;
}

}  // namespace
}  // namespace sgmcmc
