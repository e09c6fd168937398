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

TEST(FileHashes, OfAFileThatStays_AreMadeOnce) {
  if (!fs::exists("/proc/self/io")) GTEST_SKIP() << "needs Linux";
  const std::string program = fs::read_symlink("/proc/self/exe").string();  // large, and not written a moment ago
  const std::string first = hash_in_record(program);
  const auto before = bytes_read();
  EXPECT_EQ(hash_in_record(program), first);
  EXPECT_LT(bytes_read() - before, fs::file_size(program) / 2);
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
