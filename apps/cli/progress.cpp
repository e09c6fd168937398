// Draws progress lines.
#include "cli/progress.hpp"

#include "cli/printable.hpp"
#include "cli/terminal.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ostream>
#include <utility>

namespace sgmcmc::cli {
namespace {

constexpr std::size_t most_lines = 16;  // of chains; further chains are not shown

std::string rate_text(double per_second) {
  char text[32];
  if (per_second >= 1e5) {
    std::snprintf(text, sizeof text, "%.0fk/s", per_second / 1e3);
  } else if (per_second >= 1e3) {
    std::snprintf(text, sizeof text, "%.1fk/s", per_second / 1e3);
  } else {
    std::snprintf(text, sizeof text, "%.3g/s", per_second);
  }
  return text;
}

std::string time_text(double seconds) {
  const auto whole = static_cast<long long>(std::min(std::ceil(seconds), 1e9));
  char text[48];
  if (whole >= 3600) {
    std::snprintf(text, sizeof text, "%lld:%02lld:%02lld", whole / 3600, whole / 60 % 60, whole % 60);
  } else {
    std::snprintf(text, sizeof text, "%lld:%02lld", whole / 60, whole % 60);
  }
  return text;
}

}  // namespace

std::string progress_line(const ChainStatus& status, std::uint64_t gradients_per_iteration, std::size_t width) {
  const Progress& progress = status.progress;
  const double done =
      progress.iterations ? static_cast<double>(progress.iteration) / static_cast<double>(progress.iterations) : 0;
  const double rate = progress.seconds > 0 ? static_cast<double>(progress.iteration) / progress.seconds : 0;
  char number[64];
  std::snprintf(number, sizeof number, "chain %u  %3.0f%%", progress.chain + 1, std::floor(100 * done));
  std::vector<std::string> parts = {number};
  if (rate > 0) {
    const bool finished = progress.iteration >= progress.iterations;
    parts.push_back(finished
                        ? time_text(progress.seconds) + " in all"
                        : time_text(static_cast<double>(progress.iterations - progress.iteration) / rate) + " left");
    parts.push_back(rate_text(rate));
  }
  if (status.has_log_density) {
    std::snprintf(number, sizeof number, "log density %.6g", status.log_density);
    parts.push_back(number);
  }
  if (gradients_per_iteration > 0) {
    std::snprintf(number, sizeof number, "%.3g gradients",
                  static_cast<double>(progress.iteration) * static_cast<double>(gradients_per_iteration));
    parts.push_back(number);
  }
  std::string line = parts.front();
  for (std::size_t i = 1; i < parts.size(); ++i)
    if (line.size() + 2 + parts[i].size() < width) line += "  " + parts[i];
  return line.substr(0, width > 1 ? width - 1 : 0);
}

ProgressDisplay::ProgressDisplay(std::ostream& out, bool shown, std::size_t chains,
                                 std::uint64_t gradients_per_iteration)
    : out_(out), shown_(shown), gradients_per_iteration_(gradients_per_iteration), chains_(chains) {
  for (std::size_t i = 0; i < chains; ++i) chains_[i].progress.chain = static_cast<std::uint32_t>(i);
}

ProgressDisplay::~ProgressDisplay() {
  {
    const std::lock_guard lock(mutex_);
    clear_word();
    ends_ = true;
  }
  ended_.notify_all();
  if (ticker_.joinable()) ticker_.join();
}

void ProgressDisplay::clear_word() {
  if (word_) out_ << "\r\033[K" << std::flush;
  word_ = false;
}

void ProgressDisplay::clear() {
  const std::lock_guard lock(mutex_);
  clear_word();
}

void ProgressDisplay::say(const std::string& text) {
  if (!shown_) return;
  const std::lock_guard lock(mutex_);
  if (!word_ || text != word_text_) word_since_ = std::chrono::steady_clock::now();
  word_text_ = text;
  word_ = true;
  write_word();
  if (!ticker_.joinable()) ticker_ = std::thread([this] { tick(); });
}

void ProgressDisplay::watch(std::function<std::string()> words) {
  const std::lock_guard lock(mutex_);
  watched_ = std::move(words);
}

void ProgressDisplay::write_word() {
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - word_since_).count();
  std::string text = printable(word_text_);
  const std::string found = watched_ ? watched_() : "";
  if (!found.empty())
    text = found;
  else if (seconds >= 2)
    text += " " + time_text(static_cast<double>(seconds));
  out_ << "\r\033[K" << text.substr(0, terminal_width() - 1) << std::flush;
}

void ProgressDisplay::tick() {
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, std::chrono::seconds(1), [this] { return ends_; }))
    if (word_) write_word();
}

void ProgressDisplay::show(const Progress& progress) {
  if (!shown_) return;
  std::lock_guard lock(mutex_);
  chains_[progress.chain].progress = progress;
  clear_word();
  std::string text = lines_ > 0 ? "\033[" + std::to_string(lines_) + "A" : "";
  const std::size_t width = terminal_width();
  lines_ = std::min(chains_.size(), most_lines);
  for (std::size_t i = 0; i < lines_; ++i)
    text += "\r\033[K" + progress_line(chains_[i], gradients_per_iteration_, width) + "\n";
  out_ << text << std::flush;
}

void ProgressDisplay::set_log_density(std::size_t chain, double value) {
  if (!shown_) return;
  std::lock_guard lock(mutex_);
  chains_[chain].log_density = value;
  chains_[chain].has_log_density = true;
}

}  // namespace sgmcmc::cli
