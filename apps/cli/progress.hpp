// Progress on a terminal: one line per chain, rewritten in place during a run.
#pragma once

#include <sgmcmc/sample.hpp>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace sgmcmc::cli {

struct ChainStatus {
  Progress progress;
  double log_density = 0;
  bool has_log_density = false;
};

/// "chain 2 43% 0:07 left 12.3k/s log density -3011.4 1.2e+06 gradients"; omits what does not fit, and gradients if
/// their number per iteration is unknown (0).
std::string progress_line(const ChainStatus& status, std::uint64_t gradients_per_iteration, std::size_t width);

class ProgressDisplay {
 public:
  /// Shows nothing if `shown` is false.
  ProgressDisplay(std::ostream& out, bool shown, std::size_t chains, std::uint64_t gradients_per_iteration);
  ~ProgressDisplay();  ///< leaves the lines of chains on the screen
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

  bool shown() const { return shown_; }
  /// Shows a status text until the next output; after a while, adds the elapsed time.
  void say(const std::string& text);
  /// Shows the result of `words`, unless it is empty, instead of the status text. Calls `words` about once a second,
  /// from another thread.
  void watch(std::function<std::string()> words);
  void clear();  ///< removes the status text before other output
  void show(const Progress& progress);
  void set_log_density(std::size_t chain, double value);

 private:
  void clear_word();
  void write_word();
  void tick();  // runs on its own thread

  std::ostream& out_;
  const bool shown_;
  const std::uint64_t gradients_per_iteration_;
  std::mutex mutex_;
  std::vector<ChainStatus> chains_;
  std::size_t lines_ = 0;  // number of our lines on the screen
  bool word_ = false;
  std::string word_text_;
  std::function<std::string()> watched_;
  std::chrono::steady_clock::time_point word_since_;
  std::thread ticker_;
  std::condition_variable ended_;
  bool ends_ = false;
};

}  // namespace sgmcmc::cli
