// Creates, checks and clears the output folder.
#include "service/record/run_folder.hpp"

#include "report/json_text.hpp"
#include "service/record/kept_record.hpp"
#include "settings/command_line.hpp"
#include "settings/run_record.hpp"

#include <sgmcmc/error.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <fstream>
#include <string_view>
#include <system_error>
#include <vector>

namespace sgmcmc {
namespace {

namespace fs = std::filesystem;

/// True for files that a run writes, finished or partial: chain-1.csv, draws.nc, ...
bool is_of_a_run(std::string name) {
  constexpr std::string_view unfinished = ".partial";
  if (name.ends_with(unfinished)) name.resize(name.size() - unfinished.size());
  for (const char* known : {"run.json",         "draws.nc",          "mode.json",
                            "topics.npy",       "topics.txt",        "vocabulary.txt",
                            "model.json",       "perplexity.csv",    "diagnosis.json",
                            "proportions.csv",  "clusters.csv",      "clusters.txt",
                            "trace.csv",        "setup.checkpoint",  "user_factors.npy",
                            "item_factors.npy", "factor_priors.npy", "user_ids.txt",
                            "item_ids.txt",     "predictions.csv",   "recommendations.csv",
                            "user_weights.npy", "item_weights.npy",  "user_features.tsv",
                            "item_features.tsv"})
    if (name == known) return true;
  const std::size_t ending = name.rfind('.');
  if (!name.starts_with("chain-") || ending == std::string::npos) return false;
  if (name.substr(ending) != ".csv" && name.substr(ending) != ".checkpoint") return false;
  const std::string number = name.substr(6, ending - 6);
  return !number.empty() && std::all_of(number.begin(), number.end(), [](unsigned char c) { return std::isdigit(c); });
}

/// True for a page that sgmcmc report wrote, so that others are never removed.
bool is_own_report(const fs::path& path) {
  if (path.filename() != "report.html") return false;
  std::ifstream file(path, std::ios::binary);
  std::string head(500, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  return head.find("name=\"generator\" content=\"sgmcmc ") != std::string::npos;
}

std::vector<fs::path> files_of_a_run(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  const bool summarised = kept_record(record_in(folder), folder).has_value();  // otherwise summary.csv is not ours
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (is_of_a_run(name) || (summarised && name.starts_with(summary_file)) || is_own_report(entry.path()))
      files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// Empty if the value is not a string: anyone may have edited the file.
std::string text_in(const nlohmann::ordered_json& record, const char* key) {
  const auto found = record.find(key);
  return found != record.end() && found->is_string() ? found->get<std::string>() : std::string();
}

bool can_be_resumed(const nlohmann::ordered_json& record) {
  if (!is_run_record(record)) return false;
  const std::string command = text_in(record, "command");
  return command == "sample" || command == "lda" || command == "dpmix" || command == "factorize";
}

/// The folder of a part of a posterior inside a folder; empty if there is none.
fs::path part_inside(const fs::path& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (!entry.path().filename().string().starts_with("part-")) continue;
    const auto record = record_in(entry.path());
    if (!is_run_record(record) || !record.contains("options") || !record["options"].is_object()) continue;
    if (!text_in(record["options"], "subposterior").empty()) return entry.path();
  }
  return {};
}

/// The descriptor of a folder that no other program writes to until it is closed.
int locked_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0 || ::flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
    return descriptor;  // some file systems have no locks
  ::close(descriptor);
  throw FileError("'" + folder.string() + "' is being written by another run; wait for it, or end it first");
}

void remove_files_of_run(const fs::path& folder) {
  std::error_code error;
  for (const auto& file : files_of_a_run(folder)) {
    fs::remove(file, error);
    if (error) throw FileError(file.string() + ": cannot be replaced: " + error.message());
  }
}

}  // namespace

RunFolder::RunFolder(const OptionValues& values, const std::string& model_path) {
  if (!values.given("out")) return;
  path_ = values.text("out");
  const std::string where = values.where("out") + ": '" + path_.string() + "' ";
  std::error_code error;
  if (fs::exists(path_, error) && !fs::is_directory(path_, error)) throw UsageError(where + "is a file, not a folder");
  where_ = values.where("out");
  overwrite_ = values.written("overwrite");
  overwrites_ = values.flag("overwrite");
  refuse_previous_run();
  record_ = make_record(values, model_path);
}

RunFolder::RunFolder(fs::path folder) : path_(std::move(folder)), resumes_(true) {
  std::error_code error;
  if (!fs::is_directory(path_, error))
    throw UsageError("'" + path_.string() + "' is no folder; name the one that the run wrote to");
  lock_ = locked_folder(path_);  // before reading, so that the folder cannot change until it is used
  record_ = record_in(path_);
  if (!can_be_resumed(record_))
    throw FileError("'" + path_.string() +
                    "' holds no run of sgmcmc sample, lda, dpmix or factorize: there is no run.json of one");
}

void RunFolder::refuse_previous_run() const {
  if (const auto part = part_inside(path_); !part.empty())
    throw UsageError(where_ + ": '" + path_.string() + "' holds parts of a posterior (" + part.filename().string() +
                     ", for example), which sgmcmc combine could not find beside a run; name another folder");
  const auto before = files_of_a_run(path_);
  if (before.empty() || overwrites_) return;
  const auto record = record_in(path_);
  const bool goes_on = can_be_resumed(record) && text_in(record, "status") != "finished" && !applies_topics(record);
  throw UsageError(where_ + ": '" + path_.string() + "' holds a previous run (" + before.front().filename().string() +
                   (before.size() > 1 ? " and others" : "") + ")" +
                   (goes_on ? " that is not finished: continue it with " + how_to_resume() + ", " : "; ") +
                   "name another folder, or add " + overwrite_ + " to replace it");
}

std::string RunFolder::how_to_resume() const { return "sgmcmc resume " + shell_word(path_.string()); }

RunFolder::~RunFolder() {
  std::error_code ignored;
  if (started_ && !resumes_ && record_.value("status", "") == tuning) {
    fs::remove(path_ / "run.json", ignored);
    if (made_) fs::remove(path_, ignored);  // fails harmlessly if the folder is not empty
  }
  if (lock_ >= 0) ::close(lock_);
}

void RunFolder::start(const std::string& status) {
  if (!exists()) return;
  if (!started_) {
    std::error_code error;
    made_ = !resumes_ && fs::create_directories(path_, error);
    if (error) throw FileError(path_.string() + ": the folder cannot be made: " + error.message());
    if (lock_ < 0) lock_ = locked_folder(path_);
    if (!resumes_) refuse_previous_run();  // another program may have written here since
    if (!resumes_ && status == tuning && !files_of_a_run(path_).empty()) return;  // keep the previous run for now
    if (!resumes_) remove_files_of_run(path_);
    started_ = true;
  }
  write_record(status);
}

CheckpointOptions RunFolder::checkpoints(const OptionValues& values) const {
  if (!exists()) return {};
  return {path_, values.number("checkpoint-every"), resumes_, identity_of(record_)};
}

void RunFolder::finish(bool interrupted) {
  record_.erase("error");
  write_record(interrupted ? "interrupted" : "finished");
  if (interrupted) return;
  std::error_code ignored;
  for (const auto& file : files_of_a_run(path_))
    if (file.extension() == ".checkpoint") fs::remove(file, ignored);
}

void RunFolder::keep_netcdf_only() {
  std::error_code ignored;
  for (const auto& file : files_of_a_run(path_))
    if (file.filename().string().starts_with("chain-") || file.extension() == ".checkpoint") fs::remove(file, ignored);
}

void RunFolder::set_used(const std::string& option, const std::string& text) {
  if (record_.is_object() && record_.contains("command")) sgmcmc::set_used(record_, option, text);
}

void RunFolder::write_record(const std::string& status) {
  if (!exists()) return;
  record_["status"] = status;
  write_whole(path_ / "run.json", json_text(record_, 2) + "\n");
}

void remove_run(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) return;
  struct Lock {
    int descriptor;
    ~Lock() {
      if (descriptor >= 0) ::close(descriptor);
    }
  };
  const Lock lock{locked_folder(folder)};
  remove_files_of_run(folder);
  fs::remove(folder, ignored);  // fails harmlessly if it is not empty
}

}  // namespace sgmcmc
