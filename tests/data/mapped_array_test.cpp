// Tests of arrays that stay in their files: which arrays do, and that their values are the same.
#include "data/binary_files.hpp"
#include "data/lost_file.hpp"
#include "data/mapped_file.hpp"
#include "data/row_pages.hpp"
#include "data/variables.hpp"
#include "data/written_files.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sgmcmc {
namespace {

using testing::bytes_of;
using testing::npy_header;
using testing::WrittenFiles;

constexpr std::int64_t rows = 1'000'000, columns = 20;  // 80 MB, nearly all of them a hole in the file

std::string large_npy(const WrittenFiles& files, const std::string& type, const std::string& order, bool big_endian) {
  const std::string head = npy_header(type, order, "(" + std::to_string(rows) + ", " + std::to_string(columns) + ")");
  const std::string path = files.write("X.npy", head);
  std::filesystem::resize_file(path, head.size() + static_cast<std::size_t>(rows * columns) * sizeof(float));
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(static_cast<std::streamoff>(head.size()) + 4 * 12345);
  const std::string number = bytes_of(0.1F, big_endian);
  file.write(number.data(), 4);
  return path;
}

DataArray read(const std::string& path) {
  return read_data({"X=" + path}, {WantedVariable{"X", WantedKind::real}}, nullptr).by_name.at("X").array;
}

TEST(LargeArrays, SinglePrecision_StaysInItsFile) {
  const WrittenFiles files;
  const DataArray array = read(large_npy(files, "<f4", "False", false));
  ASSERT_NE(array.file(), nullptr);
  EXPECT_EQ(array.shape(), (Shape{rows, columns}));
  EXPECT_EQ(array.floats()[12345], 0.1F);
  EXPECT_EQ(array[12345], static_cast<double>(0.1F));
  EXPECT_EQ(array.memory_bytes(), 0u);
}

TEST(LargeArrays, OtherByteOrderOrFortranOrder_AreReadAndStayInSinglePrecision) {
  const WrittenFiles files;
  const DataArray swapped = read(large_npy(files, ">f4", "False", true));
  EXPECT_EQ(swapped.file(), nullptr);
  ASSERT_FALSE(swapped.floats().empty());
  EXPECT_EQ(swapped.floats()[12345], 0.1F);
  const DataArray turned = read(large_npy(files, "<f4", "True", false));
  EXPECT_EQ(turned.file(), nullptr);
  EXPECT_EQ(turned.floats()[12345 * columns], 0.1F);
}

TEST(LargeArrays, SmallFile_IsReadAsDoubles) {
  const WrittenFiles files;
  const std::string path =
      files.write("X.npy", npy_header("<f4", "False", "(2,)") + testing::bytes_of_all<float>({1, 2}, false));
  const DataArray array = read(path);
  EXPECT_EQ(array.file(), nullptr);
  EXPECT_TRUE(array.floats().empty());
  EXPECT_EQ(array.reals()[1], 2);
}

/// Kilobytes of a mapping that are in memory, by the kernel's own count.
std::int64_t resident_kilobytes(const std::string& path) {
  std::ifstream maps("/proc/self/smaps");
  bool own = false;
  for (std::string line; std::getline(maps, line);) {
    if (line.find(path) != line.npos) own = true;
    if (own && line.starts_with("Rss:")) return std::stoll(line.substr(4));
  }
  return -1;
}

TEST(MappedFile, BytesBehindTheEnd_AreZero) {
  const WrittenFiles files;
  for (const std::size_t size : {std::size_t{1}, std::size_t{4095}, std::size_t{4096}, std::size_t{65536}}) {
    const MappedFile file(files.write("bytes", std::string(size, 'x')));
    ASSERT_EQ(file.bytes().size(), size);
    const std::byte* const end = file.bytes().data() + size;
    EXPECT_EQ(end[-1], std::byte{'x'});
    for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(end[i], std::byte{0}) << size;
  }
}

TEST(MappedFile, Read_GivesTheBytesOfTheFile) {
  const WrittenFiles files;
  std::string bytes(300'000, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 2654435761u >> 13);
  const MappedFile file(files.write("bytes", bytes));
  for (const std::size_t first : {std::size_t{0}, std::size_t{1}, std::size_t{4095}, std::size_t{123'457}})
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{5000}, bytes.size() - first}) {
      std::string copy(std::min(count, bytes.size() - first), '?');
      file.want(first, copy.size());
      file.read(first, std::as_writable_bytes(std::span(copy)));
      EXPECT_TRUE(copy == bytes.substr(first, count)) << first << " " << count;
    }
}

TEST(MappedFileDeathTest, ReadOfAFileThatWasCut_EndsTheProgramAndNamesTheFile) {
  const WrittenFiles files;
  const std::string path = files.write("cut", std::string(1 << 20, 'x'));
  const MappedFile file(path);
  std::string copy(1000, '?');
  const auto read_at = [&](std::size_t first) { file.read(first, std::as_writable_bytes(std::span(copy))); };
  std::filesystem::resize_file(path, 1 << 19);
  read_at(1000);
  EXPECT_EQ(copy, std::string(1000, 'x'));
  EXPECT_EXIT((end_when_a_file_is_lost(), read_at(800'000)), ::testing::ExitedWithCode(1), "cut: the file was cut");
}

// The system fills the last page with zeros: no signal is raised.
TEST(MappedFileDeathTest, ReadOfAFileThatWasCutWithinAPage_EndsTheProgramAndNamesTheFile) {
  const WrittenFiles files;
  const std::string path = files.write("cut", std::string(1 << 20, 'x'));
  const MappedFile file(path);
  std::string copy(1000, '?');
  const auto read_at = [&](std::size_t first) { file.read(first, std::as_writable_bytes(std::span(copy))); };
  std::filesystem::resize_file(path, (1 << 19) + 1500);
  read_at((1 << 19) + 500);
  EXPECT_EQ(copy, std::string(1000, 'x'));
  for (const std::size_t first : {(1 << 19) + 600, (1 << 19) + 2000})
    EXPECT_EXIT((end_when_a_file_is_lost(), read_at(first)), ::testing::ExitedWithCode(1), "cut: the file was cut");
  // Sanitizers have a handler of their own, which gets the signal otherwise.
  EXPECT_EXIT((std::signal(SIGBUS, SIG_DFL), name_files_that_are_lost(), read_at((1 << 19) + 600)),
              ::testing::KilledBySignal(SIGBUS), "cut: the file was cut");
}

/// Bytes that this process has asked of disks; empty if the system does not say.
std::optional<std::uint64_t> bytes_asked_of_disks() {
  std::ifstream file("/proc/self/io");
  for (std::string word; file >> word;)
    if (std::uint64_t bytes = 0; word == "read_bytes:" && file >> bytes) return bytes;
  return std::nullopt;
}

TEST(MappedFile, Want_RequestsExactlyWhatIsAsked) {
  constexpr std::size_t size = std::size_t{48} << 20, asked = std::size_t{32} << 20;
  const WrittenFiles files;
  const MappedFile file(files.write("bytes", std::string(size, 'x')));
  const int descriptor = ::open(file.path().c_str(), O_RDONLY);
  ::fsync(descriptor);
  const auto requested_by = [&](std::size_t first, std::size_t count) -> std::optional<std::uint64_t> {
    ::posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED);
    const auto before = bytes_asked_of_disks();
    file.want(first, count);
    const auto after = bytes_asked_of_disks();
    return before && after ? std::optional(*after - *before) : std::nullopt;
  };
  file.read_only_what_is_asked();
  // First those that read nothing: the system cannot forget pages that are on their way.
  const auto none = requested_by(4096, 0), beyond = requested_by(size, 1), all = requested_by(4096, asked);
  ::close(descriptor);
  EXPECT_EQ(none.value_or(0), 0u);
  EXPECT_EQ(beyond.value_or(0), 0u);
  if (all.value_or(0) == 0) GTEST_SKIP() << "the file is not on a disk";
  EXPECT_GE(*all, asked);
  EXPECT_LE(*all, asked + (1 << 20));
}

TEST(RowPages, PassUnderWay_TellsHowFarItHasCome) {
  RowPages pages(std::size_t{8} << 20);
  EXPECT_EQ(pages.meter().now().name, nullptr);
  {
    const PassName name(&pages, "looking");
    pages.begin_pass(1000);
    pages.visited(250);
    EXPECT_STREQ(pages.meter().now().name, "looking");
    EXPECT_EQ(pages.meter().now().done, 250u);
    EXPECT_EQ(pages.meter().now().units, 1000u);
  }
  EXPECT_STRNE(pages.meter().now().name, "looking");
  pages.visited(750);
  EXPECT_EQ(pages.meter().now().name, nullptr);
}

TEST(RowPages, RowsVisitedBeyondTheLimit_AreLetGo) {
  const WrittenFiles files;
  const DataArray array = read(large_npy(files, "<f4", "False", false));
  RowPages pages(std::size_t{8} << 20);
  pages.add(array.file(), reinterpret_cast<const std::byte*>(array.floats().data()), columns * sizeof(float));
  const std::string path = array.file()->path();
  float sum = 0;
  std::int64_t most = 0;
  for (std::int64_t first = 0; first < rows; first += RowPages::stretch_rows) {
    const std::int64_t count = std::min<std::int64_t>(RowPages::stretch_rows, rows - first);
    pages.want(static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(count));
    for (std::int64_t i = first * columns; i < (first + count) * columns; ++i)
      sum += array.floats()[static_cast<std::size_t>(i)];
    pages.visited(static_cast<std::uint64_t>(count));
    most = std::max(most, resident_kilobytes(path));
  }
  EXPECT_EQ(sum, 0.1F);
  EXPECT_EQ(pages.rows_visited(), static_cast<std::uint64_t>(rows));
  EXPECT_GT(most, 1024);
  EXPECT_LE(most, 10 * 1024) << "of 80 MB";
}

// As with systems that map much more around a row than is counted for it.
TEST(RowPages, MorePagesInMemoryThanCounted_AreLetGo) {
  const WrittenFiles files;
  const DataArray array = read(large_npy(files, "<f4", "False", false));
  RowPages pages(std::size_t{16} << 20);
  pages.add(array.file(), reinterpret_cast<const std::byte*>(array.floats().data()), columns * sizeof(float));
  float sum = 0;
  std::int64_t most = 0;
  constexpr std::size_t stretch = 100'000;  // numbers, 0.4 MB
  for (std::size_t first = 0; first < rows * columns; first += stretch) {
    for (std::size_t i = first; i < first + stretch; ++i) sum += array.floats()[i];
    pages.visited_anywhere(2, 2);  // counts 128 kB
    most = std::max(most, resident_kilobytes(array.file()->path()));
  }
  EXPECT_NE(sum, 0.0F);
  EXPECT_GT(most, 1024);
  EXPECT_LE(most, 24 * 1024) << "of 80 MB, where 16 MB are allowed";
}

TEST(RowPages, RowsThatAreKept_StayWhileOthersAreLetGo) {
  const WrittenFiles files;
  const DataArray array = read(large_npy(files, "<f4", "False", false));
  const std::uint64_t first = rows / 4, end = rows / 2;
  RowPages pages(std::size_t{8} << 20);
  pages.add(array.file(), reinterpret_cast<const std::byte*>(array.floats().data()), columns * sizeof(float));
  pages.keep(first, end, rows);
  float sum = 0;
  for (std::uint64_t row = 0; row < rows; row += RowPages::stretch_rows) {
    const std::uint64_t count = std::min<std::uint64_t>(RowPages::stretch_rows, rows - row);
    for (std::uint64_t i = row * columns; i < (row + count) * columns; ++i) sum += array.floats()[i];
    pages.visited(count, pages.count_not_kept(row, count));
  }
  EXPECT_EQ(sum, 0.1F);
  const std::int64_t resident = resident_kilobytes(array.file()->path());
  EXPECT_GE(resident, 19 * 1024) << "the kept quarter of 80 MB";
  EXPECT_LE(resident, 30 * 1024);
  const std::vector<std::uint32_t> listed = {0, 250'000, 499'999, 500'000};
  EXPECT_EQ(pages.count_not_kept(listed), 2u);
  EXPECT_EQ(pages.count_not_kept(240'000, 20'000), 10'000u);
}

TEST(RowPages, RowsThatAreRead_TakeNoMemoryOfTheMapping) {
  const WrittenFiles files;
  const DataArray array = read(large_npy(files, "<f4", "False", false));
  const auto* const first = reinterpret_cast<const std::byte*>(array.floats().data());
  RowPages pages(std::size_t{1} << 40);
  pages.add(array.file(), first, columns * sizeof(float));
  EXPECT_EQ(pages.column_at(first + columns * sizeof(float)), nullptr);
  const RowPages::Column* const column = pages.column_at(first);
  ASSERT_NE(column, nullptr);
  std::vector<float> some(1000 * columns);
  float sum = 0;
  for (std::uint64_t row = 0; row < rows; row += 1000) {
    pages.want(row, 1000);
    pages.read(*column, row, 1000, reinterpret_cast<std::byte*>(some.data()));
    for (const float value : some) sum += value;
    if (row <= 12345 / columns && 12345 / columns < row + 1000) {
      EXPECT_EQ(some[12345 - row * columns], 0.1F);
    }
  }
  EXPECT_EQ(sum, 0.1F);
  EXPECT_EQ(resident_kilobytes(array.file()->path()), 0);
}

}  // namespace
}  // namespace sgmcmc
