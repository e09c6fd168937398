// Making, checking and clearing the output folder.
#include "cli/run_folder.hpp"

#include "cli/run_record.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cctype>
#include <system_error>
#include <vector>

namespace sgmcmc::cli {
namespace {

namespace fs = std::filesystem;

/// chain-1.csv, draws.nc, ...: what a run leaves.
bool is_of_a_run(const std::string& name) {
  for (const char* known :
       {"run.json", "draws.nc", "mode.json", "topics.npy", "topics.txt", "vocabulary.txt", "model.json",
        "perplexity.csv", "proportions.csv", "clusters.csv", "clusters.txt", "trace.csv"})
    if (name == known) return true;
  if (!name.starts_with("chain-") || !name.ends_with(".csv")) return false;
  const std::string number = name.substr(6, name.size() - 10);
  return !number.empty() && std::all_of(number.begin(), number.end(), [](unsigned char c) { return std::isdigit(c); });
}

std::vector<fs::path> files_of_a_run(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (is_of_a_run(entry.path().filename().string())) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

RunFolder::RunFolder(const OptionValues& values, const std::string& model_path) {
  if (!values.given("out")) return;
  path_ = values.text("out");
  const std::string where = values.where("out") + ": '" + path_.string() + "' ";
  std::error_code error;
  if (fs::exists(path_, error) && !fs::is_directory(path_, error)) throw UsageError(where + "is a file, not a folder");
  const auto before = files_of_a_run(path_);
  if (!before.empty() && !values.flag("overwrite"))
    throw UsageError(where + "holds a previous run (" + before.front().filename().string() +
                     (before.size() > 1 ? " and others" : "") +
                     "); name another folder, or add --overwrite to replace it");
  record_ = make_record(values, model_path);
}

void RunFolder::start() {
  if (!exists()) return;
  std::error_code error;
  fs::create_directories(path_, error);
  if (error) throw FileError(path_.string() + ": the folder cannot be made: " + error.message());
  for (const auto& file : files_of_a_run(path_)) {
    fs::remove(file, error);
    if (error) throw FileError(file.string() + ": cannot be replaced: " + error.message());
  }
  write_record("running");
}

void RunFolder::set_used(const std::string& option, const std::string& text) {
  if (exists()) cli::set_used(record_, option, text);
}

void RunFolder::write_record(const std::string& status) {
  if (!exists()) return;
  record_["status"] = status;
  write_whole(path_ / "run.json", record_.dump(2) + "\n");
}

}  // namespace sgmcmc::cli
