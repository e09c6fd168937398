// The report of a run as one HTML file.
#pragma once

#include "settings/values.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace sgmcmc {

struct RunReport {
  std::string html;
  std::vector<std::string> warnings;  ///< of reading the run
  double seconds = 0;                 ///< time to make the report, without the diagnosis
};

struct RunReportOptions {
  int threads = 0;       ///< 0: all there are
  bool diagnose = true;  ///< judge the draws if the run has no verdict, and its model and data are available
  /// Plot priors beside posteriors, and simulated beside observed data, if model and data are available.
  bool simulate = true;
  std::string label;  ///< what the page calls the run; empty: the folder or files
  /// State of the run, for a page that is served while the run goes on. Null: the page is static.
  nlohmann::ordered_json live = nullptr;
};

/// Reads a folder that `sample`, `lda` or `dpmix` wrote, or files of draws. Throws FileError.
RunReport report_on_run(const std::vector<std::filesystem::path>& folder_or_files,
                        const RunReportOptions& options = {});

/// The report that option `out` names; default: report.html in the folder of the run.
std::filesystem::path report_path(const OptionValues& values);
/// Writes the file atomically. Throws FileError.
void write_report(const std::filesystem::path& path, const RunReport& report);

}  // namespace sgmcmc
