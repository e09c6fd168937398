// Tests of what the CSV reader accepts: values, separators, quotes, headers, and independence of threads and pieces.
#include "data/formats/csv_reader.hpp"

#include "base/thread_pool.hpp"

#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace sgmcmc {
namespace {

std::vector<double> values_of(const DataArray& array) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < array.size(); ++i) values.push_back(array[i]);
  return values;
}

CsvArrays read(const std::string& text, const CsvRequests& requests, ThreadPool* pool = nullptr,
               const CsvSizes& sizes = {}) {
  Input input("table.csv", text);
  return read_csv(input, requests, pool, sizes);
}

DataVariable read_one(const std::string& text, const std::string& columns = "", WantedKind kind = WantedKind::either) {
  return read(text, {{{"x", columns, kind}}, {}}).arrays.at(0).variable;
}

CsvRequests all_columns() {
  return {{}, [](const std::string&) { return std::optional(WantedKind::either); }};
}

TEST(CsvReader, WholeFile_IsAMatrixOrAVector) {
  const DataVariable matrix = read_one("a,b\n1,2.5\n3,4\n");
  EXPECT_EQ(matrix.array.shape(), (Shape{2, 2}));
  EXPECT_EQ(values_of(matrix.array), (std::vector<double>{1, 2.5, 3, 4}));
  EXPECT_EQ(matrix.source, "table.csv");
  const DataVariable vector = read_one("1\n2\n3");
  EXPECT_EQ(vector.array.shape(), Shape{3});
  EXPECT_TRUE(vector.array.is_integer());
}

TEST(CsvReader, Header_IsFoundFromItsContent) {
  EXPECT_EQ(read_one("x\n1\n2\n").array.shape(), Shape{2});
  EXPECT_EQ(read_one("1\n2\n").array.shape(), Shape{2});
  EXPECT_EQ(read_one("\"x\",\"y\"\n1,2\n", "y").array.shape(), Shape{1});
  EXPECT_EQ(read_one("5.1,setosa\n4.9,setosa\n", "1").array.shape(), Shape{2});  // a row with a number is data
  EXPECT_EQ(read_one("\xEF\xBB\xBFx,y\n1,2\n", "x").array.shape(), Shape{1});
}

TEST(CsvReader, Separators_AreFound) {
  for (const char separator : {',', ';', '\t'}) {
    std::string text = "a?b?c\n1?2?3\n4.5?5?6\n";
    for (char& c : text) c = c == '?' ? separator : c;
    EXPECT_EQ(values_of(read_one(text, "c..c").array), (std::vector<double>{3, 6})) << separator;
    EXPECT_EQ(values_of(read_one(text, "a,c").array), (std::vector<double>{1, 3, 4.5, 6})) << separator;
  }
}

TEST(CsvReader, Columns_AreChosenByNameNumberAndRange) {
  const std::string text = "a,b,c,d\n1,2,3,4\n5,6,7,8\n";
  const auto check = [&](const std::string& columns, const Shape& shape, const std::vector<double>& values,
                         const std::string& source) {
    const DataVariable variable = read_one(text, columns);
    EXPECT_EQ(variable.array.shape(), shape) << columns;
    EXPECT_EQ(values_of(variable.array), values) << columns;
    EXPECT_EQ(variable.source, source) << columns;
  };
  check("c", {2}, {3, 7}, "table.csv: column 3 'c'");
  check("3", {2}, {3, 7}, "table.csv: column 3 'c'");
  check("3..3", {2, 1}, {3, 7}, "table.csv: columns 3");
  check("d,a", {2, 2}, {4, 1, 8, 5}, "table.csv: columns 4, 1");
  check("b..d", {2, 3}, {2, 3, 4, 6, 7, 8}, "table.csv: columns 2..4");
  check("2..d,a", {2, 4}, {2, 3, 4, 1, 6, 7, 8, 5}, "table.csv: columns 2..4, 1");
  check("a, a", {2, 2}, {1, 1, 5, 5}, "table.csv: columns 1, 1");
}

TEST(CsvReader, SeveralArraysOfOneFile_AreReadInOnePass) {
  const CsvArrays arrays = read("y,a,b\n1,2,3\n0,5.5,6\n", {{{"X", "a..b", WantedKind::either},
                                                             {"y", "y", WantedKind::integer},
                                                             {"Z", "b,y", WantedKind::real},
                                                             {"w", "y", WantedKind::either}},
                                                            {}});
  EXPECT_EQ(values_of(arrays.arrays[0].variable.array), (std::vector<double>{2, 3, 5.5, 6}));
  EXPECT_EQ(values_of(arrays.arrays[1].variable.array), (std::vector<double>{1, 0}));
  EXPECT_EQ(values_of(arrays.arrays[2].variable.array), (std::vector<double>{3, 1, 6, 0}));
  EXPECT_TRUE(arrays.arrays[0].variable.array.is_real());
  EXPECT_TRUE(arrays.arrays[1].variable.array.is_integer());
  EXPECT_TRUE(arrays.arrays[2].variable.array.is_real());
  EXPECT_TRUE(arrays.arrays[3].variable.array.is_integer());
}

TEST(CsvReader, HeaderColumns_BecomeVariablesWhereWanted) {
  const CsvArrays arrays = read(
      "name,x,y\nAlice,1,2.5\nBob,3,4\n",
      {{}, [](const std::string& name) { return name == "name" ? std::nullopt : std::optional(WantedKind::either); }});
  ASSERT_EQ(arrays.arrays.size(), 2u);
  EXPECT_EQ(arrays.arrays[0].name, "x");
  EXPECT_TRUE(arrays.arrays[0].variable.array.is_integer());
  EXPECT_EQ(values_of(arrays.arrays[1].variable.array), (std::vector<double>{2.5, 4}));
  EXPECT_EQ(arrays.unused, std::vector<std::string>{"name"});
}

TEST(CsvReader, Quotes_FollowTheStandard) {
  const std::string text =
      "\"id\",\"a \"\"name\"\"\",text\r\n"
      "\"1\", 2.5 ,\"with, comma\"\r\n"
      "3,\" 4\",\"with\nline \"\"break\"\"\"\r\n"
      "5,6,plain\r\n";
  EXPECT_EQ(values_of(read_one(text, "id,2").array), (std::vector<double>{1, 2.5, 3, 4, 5, 6}));
  EXPECT_EQ(values_of(read_one(text, "a \"name\"").array), (std::vector<double>{2.5, 4, 6}));
}

TEST(CsvReader, LineEndings_AllWork) {
  for (const char* text : {"a,b\n1,2\n3,4", "a,b\n1,2\n3,4\n", "a,b\r\n1,2\r\n3,4\r\n", "a,b\n1,2\n3,4\n\n\r\n\n"}) {
    EXPECT_EQ(values_of(read_one(text).array), (std::vector<double>{1, 2, 3, 4})) << text;
    EXPECT_EQ(values_of(read_one(text, "b", WantedKind::integer).array), (std::vector<double>{2, 4})) << text;
  }
}

TEST(CsvReader, Integers_AreWhatIsWrittenAsSuch) {
  EXPECT_TRUE(read_one("1\n-2147483648\n2147483647\n").array.is_integer());
  EXPECT_TRUE(read_one("1\n2147483648\n").array.is_real());
  EXPECT_TRUE(read_one("1\n2.0\n").array.is_real());
  EXPECT_TRUE(read_one("1\n2\n", "", WantedKind::real).array.is_real());
  EXPECT_EQ(values_of(read_one("1\n2.0\n3e2\n", "", WantedKind::integer).array), (std::vector<double>{1, 2, 300}));
}

TEST(CsvReader, Infinity_IsANumber) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(values_of(read_one("x\n1\n-inf\nInfinity\n").array), (std::vector<double>{1, -infinity, infinity}));
}

/// Rows of all kinds, so that cuts fall everywhere.
std::string mixed_text(int rows) {
  std::string text = "id,text,x,y\n";
  for (int i = 0; i < rows; ++i) {
    text.append(std::to_string(i)).append(i % 7 == 3 ? ",\"a \"\"b\"\"\n, c\"," : ",plain,");
    text.append(std::to_string(i * 0.37)).append(i % 5 == 0 ? ",\"" : ",");
    text.append(std::to_string(i % 5 == 0 ? -i : i % 3)).append(i % 5 == 0 ? "\"\n" : "\n");
  }
  return text;
}

void expect_same(const CsvArrays& arrays, const CsvArrays& expected, const std::string& what) {
  ASSERT_EQ(arrays.arrays.size(), expected.arrays.size());
  for (std::size_t i = 0; i < arrays.arrays.size(); ++i) {
    const DataArray& array = arrays.arrays[i].variable.array;
    const DataArray& other = expected.arrays[i].variable.array;
    EXPECT_STREQ(array.kind_name(), other.kind_name()) << what;
    EXPECT_EQ(array.shape(), other.shape()) << what;
    EXPECT_EQ(values_of(array), values_of(other)) << what;
  }
}

TEST(CsvReader, AnyPieceSizeAndThreads_GiveTheSameArrays) {
  const std::string text = mixed_text(60);
  const CsvRequests requests{
      {{"X", "x..y", WantedKind::real}, {"id", "id", WantedKind::either}, {"y", "4", WantedKind::integer}}, {}};
  const CsvArrays expected = read(text, requests);
  EXPECT_EQ(expected.arrays[1].variable.array.shape(), Shape{60});
  for (const int threads : {1, 2, 7}) {
    ThreadPool pool(threads);
    for (const std::size_t piece : {1, 2, 3, 5, 8, 13, 31, 64, 200, 1000, 100000}) {
      for (const std::size_t per_thread : {1, 3}) {
        expect_same(read(text, requests, &pool, {piece, per_thread}), expected,
                    std::to_string(threads) + " threads, pieces of " + std::to_string(piece));
      }
    }
  }
}

TEST(CsvReader, LargeTable_IsTheSameOnAnyThreads) {
  std::string text = "a,b,c\n";
  for (int i = 0; i < 60'000; ++i) {
    text += std::to_string(i) + "," + std::to_string(i * 1.7e-3) + "," + std::to_string(i % 2) + "\n";
  }
  const CsvArrays expected = read(text, all_columns());
  ASSERT_EQ(expected.arrays[0].variable.array.shape(), Shape{60'000});
  EXPECT_EQ(expected.arrays[0].variable.array.integers()[54'321], 54'321);
  for (const int threads : {2, 7}) {
    ThreadPool pool(threads);
    expect_same(read(text, all_columns(), &pool, {4096, 4}), expected, std::to_string(threads));
  }
}

TEST(CsvReader, FirstFaultOfTheFile_IsReportedOnAnyThreads) {
  std::string text = "a,b\n";
  for (int i = 0; i < 3000; ++i) text += i == 1234 ? "1,x\n" : i == 2000 ? "1\n" : i == 1800 ? "\n" : "1,2\n";
  for (const int threads : {1, 2, 7}) {
    ThreadPool pool(threads);
    for (const std::size_t piece : {16, 100, 5000}) {
      try {
        read(text, all_columns(), &pool, {piece, 2});
        ADD_FAILURE();
      } catch (const DataError& error) {
        EXPECT_STREQ(
            error.what(),
            "table.csv:1236: column 2 'b' is 'x', not a number. Code text as numbers, or leave the column out");
      }
    }
  }
}

TEST(CsvReader, NothingWanted_ReadsNoFurther) {
  const CsvArrays arrays = read("a,b\n1,x\n", {{}, [](const std::string&) { return std::optional<WantedKind>(); }});
  EXPECT_TRUE(arrays.arrays.empty());
  EXPECT_EQ(arrays.unused, (std::vector<std::string>{"a", "b"}));
}

}  // namespace
}  // namespace sgmcmc
