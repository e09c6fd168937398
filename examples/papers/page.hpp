// The page of an experiment: text, tables, and each claim of the paper beside what was found, judged by the spread over
// repetitions.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <initializer_list>
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
  double sd = 0;               ///< of one value
};

inline Average average_of(const std::vector<double>& values) {
  Average found;
  const auto count = static_cast<double>(values.size());
  for (const double value : values) found.mean += value / count;
  for (const double value : values) found.sd += std::pow(value - found.mean, 2) / std::max(1.0, count - 1);
  found.sd = std::sqrt(found.sd);
  found.error = found.sd / std::sqrt(count);
  return found;
}

/// "12.3 ± 0.4"
inline std::string text_of(const Average& average, int count) {
  return digits(average.mean, count) + (average.error > 0 ? " ± " + digits(average.error, 2) : "");
}

/// "12.3 ± 0.4", with the spread of single values
inline std::string spread_text(const Average& average, int count) {
  return digits(average.mean, count) + (average.sd > 0 ? " ± " + digits(average.sd, 2) : "");
}

/// What became of a claim. A difference within the spread shows nothing, neither for the claim nor against it.
enum class Verdict { same, contrary, not_shown };

inline std::string verdict_text(Verdict verdict) {
  return verdict == Verdict::same ? "same" : verdict == Verdict::contrary ? "not" : "not shown";
}

/// Half a 95 % interval of a difference of means, of at least so many (two or more) values each.
inline double half_interval(const Average& one, const Average& other, std::size_t count) {
  constexpr std::array quantiles = {4.30, 2.78, 2.45, 2.31, 2.23};  // of t with 2 (count - 1) degrees of freedom
  return quantiles[std::min(count - 2, quantiles.size() - 1)] * std::hypot(one.error, other.error);
}

/// Whether a method's values, one for each repetition, are below those of another: by more than the spread of the
/// difference of two values, sqrt(sd^2 + sd^2), and than half a 95 % interval of the difference of the means. Never
/// shown by one repetition. Infinite values count as larger than all others.
inline Verdict is_below(const std::vector<double>& lower, const std::vector<double>& upper) {
  const std::size_t fewest = std::min(lower.size(), upper.size());
  if (fewest < 2) return Verdict::not_shown;
  const Average below = average_of(lower), above = average_of(upper);
  const double difference = above.mean - below.mean,
               spread = std::max(std::hypot(below.sd, above.sd), half_interval(below, above, fewest));
  if (!std::isfinite(difference)) {
    const auto [least_lower, most_lower] = std::minmax_element(lower.begin(), lower.end());
    const auto [least_upper, most_upper] = std::minmax_element(upper.begin(), upper.end());
    return *most_lower < *least_upper   ? Verdict::same
           : *most_upper < *least_lower ? Verdict::contrary
                                        : Verdict::not_shown;
  }
  if (!(std::abs(difference) > spread)) return Verdict::not_shown;
  return difference > 0 ? Verdict::same : Verdict::contrary;
}

/// Of a claim with several parts: contrary if any part is, same if all are.
inline Verdict all_of(std::initializer_list<Verdict> parts) {
  Verdict verdict = Verdict::same;
  for (const Verdict part : parts) {
    if (part == Verdict::contrary) return part;
    if (part == Verdict::not_shown) verdict = part;
  }
  return verdict;
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
  Page& finding(const std::string& claim, const std::string& found, Verdict verdict) {
    findings_.push_back({claim, found, verdict_text(verdict)});
    return *this;
  }
  Page& finding(const std::string& claim, const std::string& found, bool same) {
    return finding(claim, found, same ? Verdict::same : Verdict::contrary);
  }

  /// Writes NAME.md into the folder. What is printed says the findings.
  void write() {
    if (!findings_.empty()) table({"the paper", "here", "same?"}, findings_);
    for (const auto& line : findings_)
      std::printf("%-9s  %s\n           found: %s\n", line[2].c_str(), line[0].c_str(), line[1].c_str());
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
