// Hashes of data files in records: files are read once, unless they change.
#include "settings/run_record.hpp"
#include "settings/table.hpp"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

namespace sgmcmc {
namespace {

namespace fs = std::filesystem;

std::string hash_in_record(const std::string& data) {
  OptionValues values(Command::sample);
  values.set(*find_option(Command::sample, "data"), data, "data");
  return make_record(values, "no model")["data"][0]["xxh64"].get<std::string>();
}

/// Bytes that this process has read from files.
std::uintmax_t bytes_read() {
  std::ifstream file("/proc/self/io");
  std::string name;
  std::uintmax_t bytes = 0;
  file >> name >> bytes;
  return bytes;
}

/// A large file that was not written a moment ago: the C++ library. Empty if there is none.
std::string old_file() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.find("/libstdc++.so") != std::string::npos || line.find("/libc.so") != std::string::npos)
      return line.substr(line.find('/'));
  return "";
}

TEST(FileHashes, OfAFileThatStays_AreMadeOnce) {
  const std::string file = old_file();
  if (file.empty() || bytes_read() == 0) GTEST_SKIP() << "needs Linux, and a shared C or C++ library";
  const std::string first = hash_in_record(file);
  const auto before = bytes_read();
  EXPECT_EQ(hash_in_record(file), first);
  EXPECT_LT(bytes_read() - before, fs::file_size(file) / 2);
}

TEST(FileHashes, OfAFileThatChanges_AreMadeAgain) {
  const fs::path folder = fs::temp_directory_path() / ("sgmcmc-hashes-" + std::to_string(::getpid()));
  fs::create_directories(folder);
  const fs::path file = folder / "data.csv";
  std::string before;
  for (int k = 0; k < 20; ++k) {  // the same size and the same time of modification
    std::ofstream(file) << "x\n" << 10 + k << "\n";
    fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(1));
    const std::string now = hash_in_record(file.string());
    EXPECT_NE(now, before) << k;
    before = now;
  }
  fs::remove_all(folder);
}

}  // namespace
}  // namespace sgmcmc
