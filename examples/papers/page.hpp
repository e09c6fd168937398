// The page of an experiment: text, tables, and each claim of the paper beside what was found.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace sgmcmc {

inline std::string digits(double value, int count = 3) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*g", count, value);
  return text;
}

struct Average {
  double mean = 0, error = 0;  ///< standard error
};

inline Average average_of(const std::vector<double>& values) {
  Average found;
  const auto count = static_cast<double>(values.size());
  for (const double value : values) found.mean += value / count;
  for (const double value : values) found.error += std::pow(value - found.mean, 2) / std::max(1.0, count - 1) / count;
  found.error = std::sqrt(found.error);
  return found;
}

/// "12.3 ± 0.4"
inline std::string text_of(const Average& average, int count) {
  return digits(average.mean, count) + (average.error > 0 ? " ± " + digits(average.error, 2) : "");
}

class Page {
 public:
  Page(std::filesystem::path folder, std::string name, const std::string& title)
      : folder_(std::move(folder)), name_(std::move(name)), text_("# " + title + "\n\n") {}

  Page& text(const std::string& paragraph) {
    text_ += paragraph + "\n\n";
    return *this;
  }
  /// The file stands beside the page.
  Page& figure(const std::string& words, const std::string& file) { return text("![" + words + "](" + file + ")"); }
  Page& table(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& lines) {
    text_ += row(head) + row(std::vector<std::string>(head.size(), "---"));
    for (const auto& line : lines) text_ += row(line);
    text_ += "\n";
    return *this;
  }
  Page& finding(const std::string& claim, const std::string& found, bool same) {
    findings_.push_back({claim, found, same ? "same" : "not"});
    return *this;
  }

  /// Writes NAME.md into the folder. What is printed says the findings.
  void write() {
    if (!findings_.empty()) table({"the paper", "here", "same?"}, findings_);
    for (const auto& line : findings_)
      std::printf("%-4s  %s\n      found: %s\n", line[2].c_str(), line[0].c_str(), line[1].c_str());
    while (text_.ends_with("\n\n")) text_.pop_back();
    std::ofstream(folder_ / (name_ + ".md")) << text_;
  }

 private:
  static std::string row(const std::vector<std::string>& cells) {
    std::string line = "|";
    for (const auto& cell : cells) line += cell == "---" ? "---|" : " " + cell + " |";
    return line + "\n";
  }

  std::filesystem::path folder_;
  std::string name_, text_;
  std::vector<std::vector<std::string>> findings_;
};

}  // namespace sgmcmc
