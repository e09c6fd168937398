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
  double seconds = 0;                 ///< that making it took, the diagnosis not counted
};

struct RunReportOptions {
  int threads = 0;       ///< 0: all there are
  bool diagnose = true;  ///< judge the draws where the run has no verdict, and its model and data are there
  /// Draw priors beside posteriors, and data from the model beside those observed, where model and data are there.
  bool simulate = true;
  std::string label;  ///< what the page calls the run; empty: the folder or files
  /// Of a page that is served while the run goes on: its state. Null: the page stands for itself.
  nlohmann::ordered_json live = nullptr;
};

/// From a folder that `sample`, `lda` or `dpmix` wrote, or from files of draws. Throws FileError.
RunReport report_on_run(const std::vector<std::filesystem::path>& folder_or_files,
                        const RunReportOptions& options = {});

/// The report that option `out` names; default: report.html in the folder of the run.
std::filesystem::path report_path(const OptionValues& values);
/// Writes a file whole or not at all. Throws FileError.
void write_report(const std::filesystem::path& path, const RunReport& report);

}  // namespace sgmcmc
