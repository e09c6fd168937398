// Warnings and remarks of a run: printed to stderr at once, and collected for --json.
#pragma once

#include "settings/values.hpp"

#include <sgmcmc/run.hpp>

#include <string>
#include <vector>

namespace sgmcmc::cli {

class RunWarnings {
 public:
  /// Collects everything; prints nothing with --quiet.
  explicit RunWarnings(const OptionValues& values) : quiet_(values.flag("quiet")) {}

  /// "sgmcmc: warning: TEXT", wrapped; `detail` follows on its own lines, unchanged.
  void warn(const std::string& text, const std::string& detail = "");
  void remark(const std::string& text);  ///< "sgmcmc: TEXT"
  void add(const std::vector<RunWarning>& warnings);
  /// As show_warnings().
  void add(const OptionValues& values, const std::vector<std::string>& model_warnings);

  const std::vector<std::string>& all() const { return all_; }

 private:
  void show(const std::string& text, const std::string& detail) const;

  bool quiet_;
  std::vector<std::string> all_;
};

}  // namespace sgmcmc::cli
