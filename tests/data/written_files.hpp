// Files for tests, written to a separate folder that is removed at the end of the test.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace sgmcmc::testing {

class WrittenFiles {
 public:
  WrittenFiles() {
    std::string pattern = (std::filesystem::temp_directory_path() / "sgmcmc-data-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) ADD_FAILURE() << "no folder for files";
    folder_ = pattern;
  }
  ~WrittenFiles() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  WrittenFiles(const WrittenFiles&) = delete;
  WrittenFiles& operator=(const WrittenFiles&) = delete;

  /// Returns the path.
  std::string write(const std::string& name, std::string_view content) const {
    const std::string path = path_of(name);
    std::ofstream(path, std::ios::binary).write(content.data(), static_cast<std::streamsize>(content.size()));
    return path;
  }
  std::string path_of(const std::string& name) const { return (folder_ / name).string(); }

  /// The text without the name of the folder.
  std::string without_folder(std::string text) const {
    const std::string prefix = folder_.string() + "/";
    for (std::size_t at; (at = text.find(prefix)) != text.npos;) text.erase(at, prefix.size());
    return text;
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace sgmcmc::testing
