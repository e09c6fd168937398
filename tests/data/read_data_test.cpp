// Tests of reading variables from `--data` arguments: forms of arguments, detection of formats, one pass per file.
#include "base/thread_pool.hpp"
#include "data/binary_files.hpp"
#include "data/data_argument.hpp"
#include "data/packing.hpp"
#include "data/variables.hpp"
#include "data/written_files.hpp"

#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace sgmcmc {
namespace {

using testing::bytes_of_all;
using testing::idx_header;
using testing::npy_header;
using testing::WrittenFiles;

using Names = std::vector<std::string>;

std::vector<double> values_of(const DataVariables& variables, const std::string& name) {
  const DataArray& array = variables.by_name.at(name).array;
  std::vector<double> values;
  for (std::int64_t i = 0; i < array.size(); ++i) values.push_back(array[i]);
  return values;
}

TEST(ReadData, JsonFile_GivesItsWantedKeys) {
  const WrittenFiles files;
  const std::string path = files.write("d.json", R"({"N": 2, "y": [1.5, 2], "other": "text"})");
  const DataVariables data = read_data({path}, Names{"N", "y", "missing"}, nullptr);
  EXPECT_EQ(data.by_name.size(), 2u);
  EXPECT_EQ(values_of(data, "y"), (std::vector<double>{1.5, 2}));
  EXPECT_EQ(data.by_name.at("y").source, path + ": key 'y'");
  EXPECT_EQ(data.unused, Names{"other"});
  EXPECT_EQ(data.find("missing"), nullptr);
}

TEST(ReadData, FormatsAreFoundFromContent_WhateverTheName) {
  const WrittenFiles files;
  const std::string npy =
      files.write("a.csv", npy_header("<f8", "False", "(2,)") + bytes_of_all<double>({1, 2}, false));
  const std::string idx = files.write("b.json", idx_header(0x08, {2}) + std::string{'\3', '\4'});
  const std::string json = files.write("c.npy", " [5, 6]");
  const std::string csv = files.write("d.idx", "x\n7\n8\n");
  const std::string libsvm = files.write("e.csv", "0\n1 1:9 2:10\n");
  const DataVariables data =
      read_data({"a=" + npy, "b=" + idx, "c=" + json, "d=" + csv, "e=" + libsvm, "f=" + libsvm + ":label"},
                Names{"a", "b", "c", "d", "e", "f"}, nullptr);
  EXPECT_EQ(values_of(data, "a"), (std::vector<double>{1, 2}));
  EXPECT_EQ(values_of(data, "b"), (std::vector<double>{3, 4}));
  EXPECT_EQ(values_of(data, "c"), (std::vector<double>{5, 6}));
  EXPECT_EQ(values_of(data, "d"), (std::vector<double>{7, 8}));
  EXPECT_EQ(data.by_name.at("e").array.to_real().reals()[2], 9);
  EXPECT_EQ(values_of(data, "f"), (std::vector<double>{0, 1}));
  EXPECT_EQ(data.by_name.at("a").source, npy);
  EXPECT_EQ(data.by_name.at("e").source, libsvm + ": features");
  EXPECT_EQ(data.by_name.at("f").source, libsvm + ": labels");
}

TEST(ReadData, PackedFiles_AreUnpacked) {
  const WrittenFiles files;
  const std::string csv = "a,b\n1,2\n3,4.5\n", json = R"({"z": [[1], [2]]})";
  const std::function<std::string(const std::string&)> packers[] = {testing::gzip, testing::zstd, testing::xz};
  for (const auto& pack : packers) {
    const std::string table = files.write("table", pack(csv)), object = files.write("object", pack(json));
    const std::string array =
        files.write("array", pack(npy_header("<f8", "False", "(2, 2)") + bytes_of_all<double>({1, 2, 3, 4}, false)));
    const DataVariables data = read_data({table, object, "X=" + array}, Names{"a", "b", "z", "X"}, nullptr);
    EXPECT_EQ(values_of(data, "b"), (std::vector<double>{2, 4.5}));
    EXPECT_EQ(values_of(data, "z"), (std::vector<double>{1, 2}));
    EXPECT_EQ(values_of(data, "X"), (std::vector<double>{1, 2, 3, 4}));
  }
}

TEST(ReadData, LibsvmFile_GivesXAndY) {
  const WrittenFiles files;
  const std::string path = files.write("a9a", "-1 3:1\n+1 1:0.5\n");
  const DataVariables data =
      read_data({path}, std::vector<WantedVariable>{{"X", WantedKind::real}, {"y", WantedKind::integer}}, nullptr);
  EXPECT_TRUE(data.by_name.at("X").array.is_sparse());
  EXPECT_EQ(data.by_name.at("X").array.shape(), (Shape{2, 3}));
  EXPECT_EQ(values_of(data, "y"), (std::vector<double>{-1, 1}));
}

TEST(ReadData, ColumnsOfOneFile_MayFillSeveralVariables) {
  const WrittenFiles files;
  const std::string path = files.write("t.csv", "y,x1,x2,w\n1,2,3,0.5\n0,5,6,1\n");
  ThreadPool pool(2);
  const DataVariables data =
      read_data({path, "X=" + path + ":x1..x2", "label=" + path + ":1"},
                std::vector<WantedVariable>{{"X", WantedKind::real}, {"label", WantedKind::integer}, {"w"}}, &pool);
  EXPECT_EQ(data.by_name.size(), 3u);
  EXPECT_EQ(values_of(data, "X"), (std::vector<double>{2, 3, 5, 6}));
  EXPECT_TRUE(data.by_name.at("X").array.is_real());
  EXPECT_TRUE(data.by_name.at("label").array.is_integer());
  EXPECT_EQ(values_of(data, "w"), (std::vector<double>{0.5, 1}));
  EXPECT_EQ(data.by_name.at("w").source, path + ": column 4 'w'");
  EXPECT_EQ(data.unused, (Names{"y", "x1", "x2"}));
}

TEST(ReadData, ColumnsOfOneFile_AreReadInOnePass) {
  // A pipe can be read only once.
  const WrittenFiles files;
  const std::string path = files.path_of("pipe");
  ASSERT_EQ(::system(("mkfifo '" + path + "' && (printf 'y,x\\n1,2\\n3,4\\n' > '" + path + "' &)").c_str()), 0);
  const DataVariables data = read_data({"a=" + path + ":x", "b=" + path + ":y"}, Names{"a", "b"}, nullptr);
  EXPECT_EQ(values_of(data, "a"), (std::vector<double>{2, 4}));
  EXPECT_EQ(values_of(data, "b"), (std::vector<double>{1, 3}));
}

TEST(ReadData, DeclaredKinds_AreKept) {
  const WrittenFiles files;
  const std::string json = files.write("d.json", R"({"a": [1, 2], "b": [1, 2]})");
  const std::string npy =
      files.write("c.npy", npy_header("<f8", "False", "(2,)") + bytes_of_all<double>({3, 4}, false));
  const DataVariables data = read_data(
      {json, "c=" + npy},
      std::vector<WantedVariable>{{"a", WantedKind::real}, {"b", WantedKind::integer}, {"c", WantedKind::integer}},
      nullptr);
  EXPECT_TRUE(data.by_name.at("a").array.is_real());
  EXPECT_TRUE(data.by_name.at("b").array.is_integer());
  EXPECT_TRUE(data.by_name.at("c").array.is_integer());
  EXPECT_EQ(values_of(data, "c"), (std::vector<double>{3, 4}));
}

TEST(DataArgument, Forms_AreTakenApart) {
  const auto expect = [](const std::string& text, const std::string& name, const std::string& file,
                         const std::string& columns) {
    const DataArgument argument = parse_data_argument(text);
    EXPECT_EQ(argument.name, name) << text;
    EXPECT_EQ(argument.file, file) << text;
    EXPECT_EQ(argument.columns, columns) << text;
  };
  expect("d.json", "", "d.json", "");
  expect("X=x.npy", "X", "x.npy", "");
  expect("X=a/b.csv:x1..x4,5", "X", "a/b.csv", "x1..x4,5");
  expect("a/x=1/d.json", "", "a/x=1/d.json", "");
  expect("X=a/n=1/d.csv:2", "X", "a/n=1/d.csv", "2");
  const WrittenFiles files;
  const std::string odd = files.write("odd:name.csv", "1\n");
  expect("X=" + odd, "X", odd, "");
  expect("X=" + odd + ":1", "X", odd, "1");
}

}  // namespace
}  // namespace sgmcmc
