// The folder of --out: refused where it holds a previous run, and run.json in it.
#pragma once

#include "cli/option_values.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>

namespace sgmcmc::cli {

/// The record of a run, kept in run.json where there is a folder.
class RunFolder {
 public:
  /// Throws UsageError when the folder holds a previous run and --overwrite is not given, FileError when it cannot be
  /// made. Nothing is removed or written yet.
  RunFolder(const OptionValues& values, const std::string& model_path);

  bool exists() const { return !path_.empty(); }
  const std::filesystem::path& path() const { return path_; }

  /// Removes what a previous run left and writes the record.
  void start();
  nlohmann::ordered_json& record() { return record_; }
  /// Puts the value that was used in the place of the one that was given.
  void set_used(const std::string& option, const std::string& text);
  void write_record(const std::string& status);

 private:
  std::filesystem::path path_;
  nlohmann::ordered_json record_;
};

}  // namespace sgmcmc::cli
