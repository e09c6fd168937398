// The folder of a run: refused where it holds a previous run, and run.json in it.
#pragma once

#include "settings/values.hpp"

#include <sgmcmc/checkpoint.hpp>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>

namespace sgmcmc {

inline constexpr const char* diagnosis_file = "diagnosis.json";  ///< what the verdict is based on
inline constexpr const char* summary_file = "summary.csv";       ///< of runs that keep some variables: a line for each

/// The record of a run, kept in run.json where there is a folder.
class RunFolder {
 public:
  /// Throws UsageError when the folder holds a previous run and is not to be overwritten, FileError when it cannot be
  /// made. Nothing is removed or written yet.
  RunFolder(const OptionValues& values, const std::string& model_path);

  /// The folder of a run that is to be resumed: its record is kept. Throws FileError where there is none, or
  /// where another program is writing there.
  explicit RunFolder(std::filesystem::path folder);
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  bool exists() const { return !path_.empty(); }
  const std::filesystem::path& path() const { return path_; }

  /// Removes what a previous run left, unless that is resumed, and writes the record. Throws FileError where another
  /// program is writing there, and UsageError as above where one has written since. A second call only writes. While a
  /// run is tuning, what a previous one left stays: then nothing is written, and it has not started.
  void start(const std::string& status = "running");
  bool started() const { return started_; }
  /// The status of a run that looks for the options it will have. Its record holds those `asked` for beside the
  /// others, and is withdrawn where nothing comes of it: the run failed before it began.
  static constexpr const char* tuning = "tuning";
  bool resumes() const { return resumes_; }
  std::string how_to_resume() const;  ///< a command line
  /// Where the run saves itself, as option `checkpoint-every` says. The options that were used must be set.
  CheckpointOptions checkpoints(const OptionValues& values) const;
  /// Writes the record of a run whose results are written. One that is finished and cannot be extended needs its
  /// checkpoints no longer.
  void finish(bool interrupted);
  /// Of a finished run whose draws are all in draws.nc: removes its CSV files and its checkpoints, which need them.
  void keep_netcdf_only();
  nlohmann::ordered_json& record() { return record_; }
  /// Puts the value that was used in the place of the one that was given.
  void set_used(const std::string& option, const std::string& text);
  void write_record(const std::string& status);

 private:
  void lock();
  void clear();
  void refuse_previous_run() const;

  std::filesystem::path path_;
  std::string where_, overwrite_;  // the options, as messages write them
  bool overwrites_ = false;
  bool resumes_ = false;
  bool started_ = false, made_ = false;  // made: there was no folder before
  int lock_ = -1;                        // descriptor of the folder while this program writes there
  nlohmann::ordered_json record_;
};

}  // namespace sgmcmc
