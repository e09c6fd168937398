// The folder of a run and the run.json in it. Refuses folders that hold a previous run.
#pragma once

#include "settings/values.hpp"

#include <sgmcmc/checkpoint.hpp>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>

namespace sgmcmc {

inline constexpr const char* diagnosis_file = "diagnosis.json";  ///< what the verdict is based on
inline constexpr const char* summary_file = "summary.csv";       ///< a line per variable, if only some are kept

/// The record of a run, written to run.json if there is a folder.
class RunFolder {
 public:
  /// Throws UsageError if the folder holds a previous run and may not be overwritten. Does not remove or write anything
  /// yet.
  RunFolder(const OptionValues& values, const std::string& model_path);

  /// Opens the folder of a run to be resumed, and keeps its record. Throws UsageError if there is no such folder, and
  /// FileError if it holds no run that can be resumed or another program is writing there.
  explicit RunFolder(std::filesystem::path folder);
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  bool exists() const { return !path_.empty(); }
  const std::filesystem::path& path() const { return path_; }

  /// Removes the files of a previous run, unless it is resumed, and writes the record. Throws FileError if the folder
  /// cannot be created or another program is writing there, and UsageError as above if one has written there since.
  /// Later calls only write the record. With status `tuning`, the files of a previous run stay: if there are any,
  /// nothing is written and the run has not started.
  void start(const std::string& status = "running");
  bool started() const { return started_; }
  /// The status of a run whose options are still being tuned. Its record also holds the options `asked` for, and is
  /// removed if the run fails before it begins to sample.
  static constexpr const char* tuning = "tuning";
  bool resumes() const { return resumes_; }
  std::string how_to_resume() const;  ///< a command line
  /// Where and how often to write checkpoints, according to option `checkpoint-every`. Call after set_used().
  CheckpointOptions checkpoints(const OptionValues& values) const;
  /// Writes the record of a run whose results are written. Removes the checkpoints unless the run was interrupted.
  void finish(bool interrupted);
  /// For a finished run with all draws in draws.nc: removes its CSV files, and its checkpoints, which need these.
  void keep_netcdf_only();
  nlohmann::ordered_json& record() { return record_; }
  /// Replaces the given value of an option by the one that was used.
  void set_used(const std::string& option, const std::string& text);
  void write_record(const std::string& status);

 private:
  void refuse_previous_run() const;

  std::filesystem::path path_;
  std::string where_, overwrite_;  // option names for messages
  bool overwrites_ = false;
  bool resumes_ = false;
  bool started_ = false, made_ = false;  // made: this run created the folder
  int lock_ = -1;                        // descriptor of the folder, held while this program writes to it
  nlohmann::ordered_json record_;
};

/// Removes the files of the run in a folder, if there is one, and the folder if nothing else is in it. Throws FileError
/// if they cannot be removed, or another program is writing there.
void remove_run(const std::filesystem::path& folder);

}  // namespace sgmcmc
