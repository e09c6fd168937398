// Tests of row files: rows stay intact, damage is detected anywhere in the file, and interrupted packing ends with the
// same bytes.
#include "data/row_files/row_file.hpp"

#include "base/interrupt.hpp"
#include "base/thread_pool.hpp"
#include "data/binary_files.hpp"
#include "data/pass_meter.hpp"
#include "data/row_files/file_sources.hpp"
#include "data/written_files.hpp"
#include "ranks/row_shards.hpp"

#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>

#include <sys/resource.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace sgmcmc {
namespace {

using testing::bytes_of_all;
using testing::npy_header;
using testing::WrittenFiles;

using Variables = std::map<std::string, DataVariable>;

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Rows whose values follow from the row number: row i has X = (i, i + 0.5, -i) and y = i.
class PackedData {
 public:
  explicit PackedData(std::int64_t rows) : rows_(rows) {
    std::vector<float> x;
    std::vector<std::int32_t> y;
    std::string csv = "z,y\n";
    for (std::int64_t i = 0; i < rows; ++i) {
      const auto value = static_cast<float>(i);
      x.insert(x.end(), {value, value + 0.5F, -value});
      y.push_back(static_cast<std::int32_t>(i));
      csv += std::to_string(i) + ".25," + std::to_string(i) + "\n";
    }
    const std::string count = std::to_string(rows);
    x_file_ = files_.write("X.npy", npy_header("<f4", "False", "(" + count + ", 3)") + bytes_of_all(x, false));
    csv_file_ = files_.write("t.csv", csv + "\n");  // an empty line at the end is ignored
    json_file_ = files_.write("c.json", R"({"K": 3, "scale": [0.5, 2]})");
  }

  std::vector<std::string> arguments() const { return {"X=" + x_file_, csv_file_, json_file_}; }
  std::string path() const { return files_.path_of("rows.sgr"); }
  const WrittenFiles& files() const { return files_; }
  std::int64_t rows() const { return rows_; }

  PackedRows pack(PackOptions options) const {
    options.path = path();
    const auto outline = outline_data(arguments(), wanted_, options.pool, options.interrupt);
    return pack_rows(arguments(), wanted_, outline, {"X", "y", "z"}, options);
  }

  /// The error in the file's rows; empty if there is none.
  static std::string check(const Variables& data, std::int64_t rows) {
    const DataArray &x = data.at("X").array, &y = data.at("y").array, &z = data.at("z").array;
    if (x.shape() != Shape{rows, 3} || y.shape() != Shape{rows}) return "shapes";
    std::set<std::int64_t> seen;
    for (std::int64_t i = 0; i < rows; ++i) {
      const double number = y[i];
      if (x[3 * i] != number || x[3 * i + 1] != number + 0.5 || x[3 * i + 2] != -number || z[i] != number + 0.25)
        return "row " + std::to_string(i) + " is not whole";
      seen.insert(static_cast<std::int64_t>(number));
    }
    return static_cast<std::int64_t>(seen.size()) == rows && *seen.rbegin() == rows - 1 ? "" : "not every row once";
  }

 private:
  std::int64_t rows_;
  WrittenFiles files_;
  std::string x_file_, csv_file_, json_file_;
  std::vector<WantedVariable> wanted_ = {{"X", WantedKind::real},
                                         {"y", WantedKind::integer},
                                         {"z", WantedKind::real},
                                         {"K", WantedKind::integer},
                                         {"scale", WantedKind::real}};
};

PackOptions small_blocks() {
  PackOptions options;
  options.block_rows = 100;
  options.save_every = 1;
  return options;
}

std::string refusal_of(const std::string& path) {
  try {
    read_row_file(path, nullptr);
  } catch (const DataError& error) {
    return error.what();
  }
  return "(accepted)";
}

TEST(RowFile, PackedRows_AreWholeAndInRandomOrder) {
  const PackedData data(1234);
  PackOptions options = small_blocks();
  options.precision = Precision::float32;
  const PackedRows packed = data.pack(options);
  EXPECT_EQ(packed.layout.blocks(), 13u);
  ThreadPool pool(2);
  const Variables read = read_row_file(data.path(), &pool);
  EXPECT_EQ(PackedData::check(read, 1234), "");
  EXPECT_FALSE(read.at("X").array.floats().empty()) << "as it was asked for";
  EXPECT_EQ(read.at("X").array.order(), RowOrder::random);
  EXPECT_EQ(read.at("K").array[0], 3);
  EXPECT_EQ(read.at("scale").array[1], 2);
  // Neighbours in the file come from anywhere: the mean distance of two random rows is N / 3.
  const DataArray& y = read.at("y").array;
  double distance = 0;
  for (std::int64_t i = 1; i < 1234; ++i) distance += std::abs(y[i] - y[i - 1]) / 1233;
  EXPECT_NEAR(distance, 1234 / 3.0, 40);  // five standard deviations are 42
}

/// The columns of a row file that was packed from a CSV file, by name.
Variables packed_csv(const WrittenFiles& files, const std::string& text, const std::vector<std::string>& names) {
  const std::string argument = files.write("integers.csv", text), path = files.path_of("integers.sgr");
  std::vector<WantedVariable> wanted;
  for (const std::string& name : names) wanted.push_back({name, WantedKind::integer});
  PackOptions options;
  options.path = path;
  options.overwrite = true;
  const auto outline = outline_data({argument}, wanted, nullptr, nullptr);
  pack_rows({argument}, wanted, outline, {names.begin(), names.end()}, options);
  return read_row_file(path, nullptr);
}

TEST(RowFile, Integers_TakeAsManyBitsAsTheirRangeNeeds) {
  const WrittenFiles files;
  std::string text = "row,binary,low,byte,negative,short,long,edge\n";
  for (int i = 0; i < 300; ++i) {
    text += std::to_string(i) + "," + std::to_string(i % 2) + "," + std::to_string(i == 7 ? -128 : 127) + "," +
            std::to_string(i == 7 ? 255 : 0) + "," + std::to_string(i == 7 ? -1 : 128) + "," +
            std::to_string(i == 7 ? -32768 : 32767) + "," + std::to_string(i == 7 ? 32768 : 0) + "," +
            std::to_string(i == 7 ? -2147483648LL : 2147483647LL) + "\n";
  }
  const std::vector<std::string> names = {"row", "binary", "low", "byte", "negative", "short", "long", "edge"};
  const Variables read = packed_csv(files, text, names);
  const std::map<std::string, StorageType> expected = {{"row", StorageType::int16},      {"binary", StorageType::int8},
                                                       {"low", StorageType::int8},       {"byte", StorageType::uint8},
                                                       {"negative", StorageType::int16}, {"short", StorageType::int16},
                                                       {"long", StorageType::int32},     {"edge", StorageType::int32}};
  for (const auto& [name, type] : expected) EXPECT_EQ(read.at(name).array.type(), type) << name;
  for (std::int64_t at = 0; at < 300; ++at) {
    const auto row = static_cast<int>(read.at("row").array[at]);
    ASSERT_EQ(read.at("binary").array[at], row % 2);
    ASSERT_EQ(read.at("low").array[at], row == 7 ? -128 : 127);
    ASSERT_EQ(read.at("byte").array[at], row == 7 ? 255 : 0);
    ASSERT_EQ(read.at("negative").array[at], row == 7 ? -1 : 128);
    ASSERT_EQ(read.at("short").array[at], row == 7 ? -32768 : 32767);
    ASSERT_EQ(read.at("long").array[at], row == 7 ? 32768 : 0);
    ASSERT_EQ(read.at("edge").array[at], row == 7 ? -2147483648.0 : 2147483647.0);
    ASSERT_EQ(read.at("byte").array.integers()[static_cast<std::size_t>(at)], row == 7 ? 255 : 0) << "as 32 bits";
  }
  EXPECT_EQ(content_of(files.path_of("integers.sgr")).substr(0, 13), "sgmcmc rows 2");
}

TEST(RowFile, FileWithoutNarrowIntegers_IsOfTheFirstVersion) {
  const WrittenFiles files;
  packed_csv(files, "n\n100000\n-5\n", {"n"});
  EXPECT_EQ(content_of(files.path_of("integers.sgr")).substr(0, 13), "sgmcmc rows 1");
}

TEST(RowFile, IntegerArrays_ArePackedAsTheyAreRead) {
  const WrittenFiles files;
  std::vector<std::int64_t> wide;
  for (std::int64_t i = 0; i < 50'000; ++i) wide.insert(wide.end(), {i, -i});
  const std::string shape = "(50000, 2)";
  const std::string argument =
      "n=" + files.write("n.npy", npy_header("<i8", "False", shape) + bytes_of_all(wide, false));
  PackOptions options;
  options.path = files.path_of("n.sgr");
  for (const WantedKind kind : {WantedKind::integer, WantedKind::real}) {
    const std::vector<WantedVariable> wanted = {{"n", kind}};
    const auto outline = outline_data({argument}, wanted, nullptr, nullptr);
    ASSERT_EQ(outline.streams.size(), 1u) << "not read into memory";
    options.overwrite = true;
    pack_rows({argument}, wanted, outline, {"n"}, options);
    const DataArray array = read_row_file(options.path, nullptr).at("n").array;
    EXPECT_EQ(array.type(), kind == WantedKind::integer ? StorageType::int32 : StorageType::float64);
    std::set<double> seen;
    for (std::int64_t i = 0; i < 50'000; ++i) {
      ASSERT_EQ(array[2 * i], -array[2 * i + 1]);
      seen.insert(array[2 * i]);
    }
    EXPECT_EQ(seen.size(), 50'000u);
  }
  wide[99] = std::int64_t{1} << 40;
  const std::string beyond = "n=" + files.write("m.npy", npy_header("<i8", "False", shape) + bytes_of_all(wide, false));
  const std::vector<WantedVariable> wanted = {{"n", WantedKind::integer}};
  const auto outline = outline_data({beyond}, wanted, nullptr, nullptr);
  try {
    pack_rows({beyond}, wanted, outline, {"n"}, options);
    FAIL() << "accepted";
  } catch (const DataError& error) {
    EXPECT_EQ(files.without_folder(error.what()), "m.npy: row 50 is 1099511627776, but integers must fit in 32 bits");
  }
}

TEST(RowFile, ArraysOfFilesThatDoNotCountRows_AreConstants) {
  const WrittenFiles files;
  const std::vector<std::int32_t> sizes = {7, 8};
  const std::vector<std::string> arguments = {
      files.write("x.csv", "x\n1\n2\n3\n"), files.write("m.csv", "m\n0.5\n1.5\n"),
      "k=" + files.write("k.npy", npy_header("<i4", "False", "(2,)") + bytes_of_all(sizes, false))};
  const std::vector<WantedVariable> wanted = {
      {"x", WantedKind::real}, {"m", WantedKind::real}, {"k", WantedKind::integer}};
  PackOptions options;
  options.path = files.path_of("constants.sgr");
  pack_rows(arguments, wanted, outline_data(arguments, wanted, nullptr, nullptr), {"x"}, options);
  const Variables read = read_row_file(options.path, nullptr);
  EXPECT_EQ(read.at("x").array.shape(), Shape{3});
  ASSERT_EQ(read.at("m").array.shape(), Shape{2});
  EXPECT_EQ(read.at("m").array[1], 1.5);
  EXPECT_EQ(read.at("k").array[0], 7);
}

TEST(RowFile, Order_DependsOnTheKeyAlone) {
  const PackedData data(700);
  data.pack(small_blocks());
  const std::string first = content_of(data.path());
  PackOptions again = small_blocks();
  again.overwrite = true;
  again.save_every = 1U << 30U;
  ThreadPool pool(3);
  again.pool = &pool;
  data.pack(again);
  EXPECT_EQ(content_of(data.path()), first);
  again.key = 2;
  data.pack(again);
  EXPECT_NE(content_of(data.path()), first);
}

TEST(RowFile, StoppedAtAnyPoint_EndsWithTheSameBytes) {
  const PackedData data(900);
  data.pack(small_blocks());
  const std::string expected = content_of(data.path());
  std::filesystem::remove(data.path());
  std::atomic<bool> interrupt{false};
  int stops = 0, calls = 0;
  for (bool done = false; !done;) {
    PackOptions options = small_blocks();
    options.interrupt = &interrupt;
    interrupt = false;
    int left = 1 + stops % 3;
    options.progress = [&](double) { interrupt = --left <= 0; };
    try {
      const PackedRows packed = data.pack(options);
      EXPECT_EQ(packed.continued, calls > 0);
      done = true;
    } catch (const Error&) {
      ++stops;
      EXPECT_FALSE(std::filesystem::exists(data.path()));
    }
    ASSERT_LT(++calls, 200);
  }
  EXPECT_GT(stops, 3);
  EXPECT_EQ(content_of(data.path()), expected);
  EXPECT_FALSE(std::filesystem::exists(data.path() + ".state"));
  EXPECT_FALSE(std::filesystem::exists(data.path() + ".scattered"));
}

TEST(RowFile, WorkLostSinceTheLastState_IsDoneAgain) {
  const PackedData data(900);
  data.pack(small_blocks());
  const std::string expected = content_of(data.path());
  std::filesystem::remove(data.path());
  struct Killed {};
  PackOptions options = small_blocks();
  options.save_every = 4000;
  for (const int steps : {1, 2, 3, 2}) {
    int left = steps;
    options.progress = [&](double) {
      if (--left == 0) throw Killed();  // nothing is flushed or saved, as if the process had been killed
    };
    EXPECT_THROW(data.pack(options), Killed) << steps;
  }
  options.progress = nullptr;
  data.pack(options);
  EXPECT_EQ(content_of(data.path()), expected);
}

TEST(RowFile, FlippedBitAnywhere_IsFound) {
  const PackedData data(150);
  data.pack(small_blocks());
  const std::string whole = content_of(data.path());
  EXPECT_EQ(refusal_of(data.path()), "(accepted)");
  std::fstream file(data.path(), std::ios::binary | std::ios::in | std::ios::out);
  const auto put = [&](std::size_t at, char byte) {
    file.seekp(static_cast<std::streamoff>(at));
    file.put(byte);
    file.flush();
  };
  for (std::size_t at = 0; at < whole.size(); at += at < 1000 ? 1 : 7) {
    put(at, static_cast<char>(whole[at] ^ (1 << at % 8)));
    ASSERT_NE(refusal_of(data.path()), "(accepted)") << "byte " << at;
    put(at, whole[at]);
  }
  EXPECT_EQ(refusal_of(data.path()), "(accepted)");
}

TEST(RowFile, FlippedBitInEveryPart_IsFoundAndThePartNamed) {
  const PackedData data(450);
  const RowFileLayout layout = data.pack(small_blocks()).layout;
  const std::string whole = content_of(data.path());
  const auto& first = layout.columns.front();
  const auto& last = layout.columns.back();
  const std::uint64_t table_end = layout.checksums_offset + layout.checksums_bytes();
  const std::uint64_t first_end = first.offset + layout.rows * first.row_bytes();
  const std::uint64_t last_end = last.offset + layout.rows * last.row_bytes();
  ASSERT_LT(table_end, first.offset);
  ASSERT_LT(first_end, layout.columns.at(1).offset);
  ASSERT_LT(last_end, layout.file_bytes);
  const std::string dictionary = "the dictionary of the row file is not", gap = ", which are empty, are not";
  const std::string table = "the list of checksums is not", block = "block ";
  const std::vector<std::tuple<const char*, std::uint64_t, std::string>> parts = {
      {"checksum of the dictionary", 24, dictionary},
      {"number of rows", 32, dictionary},
      {"end of the dictionary", layout.head().size() - 1, dictionary},
      {"gap behind the dictionary", layout.head().size(), gap},
      {"first checksum", layout.checksums_offset, table},
      {"last checksum", table_end - 16, table},
      {"checksum of the checksums", table_end - 1, table},
      {"gap behind the checksums", table_end, gap},
      {"first row", first.offset, block + "1 of column '" + first.name + "'"},
      {"last row of the first column", first_end - 1, "of column '" + first.name + "' (rows 401 to 450)"},
      {"gap between columns", first_end, gap},
      {"last row", last_end - 1, "of column '" + last.name + "' (rows 401 to 450)"},
      {"gap at the end", last_end, gap},
      {"last byte", layout.file_bytes - 1, gap}};
  for (const auto& [part, at, expected] : parts)
    for (int bit = 0; bit < 8; ++bit) {
      std::string bytes = whole;
      bytes[static_cast<std::size_t>(at)] = static_cast<char>(bytes[static_cast<std::size_t>(at)] ^ (1 << bit));
      const std::string refusal = refusal_of(data.files().write("flipped.sgr", bytes));
      EXPECT_NE(refusal.find(expected), std::string::npos) << part << ", bit " << bit << ": " << refusal;
    }
  for (std::size_t at = 0; at < 24; ++at)  // the opening, and the size of the dictionary
    for (int bit = 0; bit < 8; ++bit) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
      EXPECT_NE(refusal_of(data.files().write("flipped.sgr", bytes)), "(accepted)") << "byte " << at << ", bit " << bit;
    }
}

TEST(RowFile, DamagedBlock_IsNamed) {
  const PackedData data(450);
  const PackedRows packed = data.pack(small_blocks());
  std::string bytes = content_of(data.path());
  const auto& column = packed.layout.columns.at(1);
  ASSERT_EQ(column.name, "y");
  bytes[static_cast<std::size_t>(column.offset + 2 * 250)] ^= 1;
  const std::string path = data.files().write("damaged.sgr", bytes);
  EXPECT_EQ(
      data.files().without_folder(refusal_of(path)),
      "damaged.sgr: block 3 of column 'y' (rows 201 to 300) is not what was written. Pack the data again, or take "
      "a copy of the file that is whole");
}

TEST(RowFile, RowsOfOneRank_AreVerifiedAlone) {
  const PackedData data(450);
  const PackedRows packed = data.pack(small_blocks());
  std::string bytes = content_of(data.path());
  bytes[static_cast<std::size_t>(packed.layout.columns.at(1).offset + 2 * 250)] ^= 1;  // block 3: rows 201 to 300
  const std::string path = data.files().write("damaged.sgr", bytes);
  const auto verify = [&](int rank) {
    const RowShare share{rank, 9, 9};  // of 50 rows each
    read_row_file(path, nullptr, nullptr, &share);
  };
  for (const int rank : {0, 1, 2, 3, 6, 7, 8}) EXPECT_NO_THROW(verify(rank)) << rank;
  for (const int rank : {4, 5}) EXPECT_THROW(verify(rank), DataError) << rank;
}

// In bytes: columns differ in width, and are verified one after the other.
TEST(RowFile, Verification_CountsItsBytes) {
  const PackedData data(450);
  const PackedRows packed = data.pack(small_blocks());
  const std::uint64_t row_bytes = packed.layout.row_bytes();
  EXPECT_EQ(row_bytes, 3 * 8 + 8 + 2u);
  ThreadPool pool(2);
  PassMeter meter("verifying");
  EXPECT_EQ(meter.now().name, nullptr);
  read_row_file(data.path(), &pool, nullptr, nullptr, &meter);
  EXPECT_EQ(meter.now().units, 450 * row_bytes);
  EXPECT_EQ(meter.now().done, 450 * row_bytes);
  EXPECT_EQ(meter.now().bytes, static_cast<double>(450 * row_bytes));
  EXPECT_EQ(meter.now().name, nullptr) << "the pass is over";
  const RowShare share{4, 9, 9};  // rows 201 to 250, of a block of 100
  read_row_file(data.path(), nullptr, nullptr, &share, &meter);
  EXPECT_EQ(meter.now().units, 100 * row_bytes);
  EXPECT_EQ(meter.now().done, 100 * row_bytes);
  const std::atomic<bool> interrupt = true;
  EXPECT_THROW(read_row_file(data.path(), nullptr, &interrupt, nullptr, &meter), InterruptedError);
}

TEST(RowFile, CutFile_IsRefused) {
  const PackedData data(450);
  data.pack(small_blocks());
  const std::string bytes = content_of(data.path());
  for (const std::size_t size : {bytes.size() - 1, bytes.size() / 2, std::size_t{100}, std::size_t{20}}) {
    const std::string path = data.files().write("cut.sgr", bytes.substr(0, size));
    EXPECT_NE(refusal_of(path).find("the row file is cut: it has " + std::to_string(size)), std::string::npos) << size;
  }
  const std::string longer = data.files().write("longer.sgr", bytes + "x");
  EXPECT_NE(refusal_of(longer).find("longer than what was written"), std::string::npos);
}

TEST(RowFile, FullDisk_SaysSoAndGoesOnLater) {
  const PackedData data(3000);
  data.pack(small_blocks());
  const std::string expected = content_of(data.path());
  std::filesystem::remove(data.path());
  // A limit on the size of files simulates a full disk.
  struct rlimit before {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit small = before;
  small.rlim_cur = 30000;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  std::string message;
  try {
    data.pack(small_blocks());
  } catch (const FileError& error) {
    message = error.what();
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_NE(message.find("Make room and give the same command again"), std::string::npos) << message;
  data.pack(small_blocks());
  EXPECT_EQ(content_of(data.path()), expected);
}

TEST(RowFile, NumbersThatAreNotFinite_AreRefusedWithTheirPlace) {
  const PackedData data(10);
  std::vector<double> values = {1, 2, 3, 4, std::numeric_limits<double>::quiet_NaN(), 6};
  const std::string npy = npy_header("<f8", "False", "(3, 2)") + bytes_of_all(values, false);
  const std::string argument = "X=" + data.files().write("bad.npy", npy);
  const std::vector<WantedVariable> wanted = {{"X", WantedKind::real}};
  const auto outline = outline_data({argument}, wanted, nullptr, nullptr);
  PackOptions options;
  options.path = data.path();
  try {
    pack_rows({argument}, wanted, outline, {"X"}, options);
    FAIL() << "accepted";
  } catch (const DataError& error) {
    const std::string message = data.files().without_folder(error.what());
    EXPECT_TRUE(message.starts_with("bad.npy: row 3, element 1 is ")) << message;
    EXPECT_TRUE(message.ends_with("a row file holds finite numbers: remove the row or replace the value")) << message;
  }
}

TEST(RowFile, ExistingFile_IsNotReplacedUnasked) {
  const PackedData data(50);
  data.files().write("rows.sgr", "precious");
  EXPECT_THROW(data.pack(small_blocks()), FileError);
  EXPECT_EQ(content_of(data.path()), "precious");
}

TEST(RowChecksum, ChangeOfOneByte_ChangesIt) {
  std::vector<std::byte> bytes(101);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(37 * i);
  const std::uint64_t whole = row_checksum(bytes);
  for (std::size_t i = 0; i < bytes.size(); ++i)
    for (int change = 1; change < 256; change += 3) {
      bytes[i] ^= static_cast<std::byte>(change);
      ASSERT_NE(row_checksum(bytes), whole);
      bytes[i] ^= static_cast<std::byte>(change);
    }
  EXPECT_NE(row_checksum(std::span(bytes).first(100)), whole);
}

}  // namespace
}  // namespace sgmcmc
