// Prints and collects warnings about a run.
#include "cli/run_warnings.hpp"

#include "cli/model_input.hpp"
#include "cli/terminal.hpp"

#include <algorithm>
#include <iostream>

namespace sgmcmc::cli {

void RunWarnings::show(const std::string& text, const std::string& detail) const {
  if (quiet_) return;
  std::cerr << wrapped("sgmcmc: " + text, terminal_width(), 0, 0) << "\n";
  if (!detail.empty()) std::cerr << detail << "\n";
}

void RunWarnings::warn(const std::string& text, const std::string& detail) {
  show("warning: " + text, detail);
  all_.push_back(detail.empty() ? text : text + "\n" + detail);
}

void RunWarnings::remark(const std::string& text) {
  show(text, "");
  all_.push_back(text);
}

void RunWarnings::add(const std::vector<RunWarning>& warnings) {
  for (const auto& warning : warnings) warning.remark ? remark(warning.text) : warn(warning.text, warning.detail);
}

void RunWarnings::add(const OptionValues& values, const std::vector<std::string>& model_warnings) {
  show_warnings(values, model_warnings);
  all_.insert(all_.end(), values.notes.begin(), values.notes.end());
  all_.insert(all_.end(), model_warnings.begin(), model_warnings.end());
}

}  // namespace sgmcmc::cli
