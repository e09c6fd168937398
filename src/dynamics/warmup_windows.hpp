// Warm-up schedule: which iterations adapt step size and metric (Stan reference manual, "Automatic parameter tuning").
//
// Warm-up begins and ends with intervals that adapt the step size only: 75 iterations to reach the typical set, 50 to
// settle the step size for the last metric. Between them lie windows of 25, 50, 100, ... iterations, each of which
// estimates the metric from its own draws only; the last extends to the end if a window of twice its length would not
// fit after it. A warm-up too short for 75 + 25 + 50 is split 15 % / 75 % / 10 %; below 20 only the step size is
// adapted.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace sgmcmc {

class WarmupWindows {
 public:
  WarmupWindows() = default;
  explicit WarmupWindows(std::uint64_t iterations) {
    std::uint64_t first = 75, size = 25, last = 50;
    if (iterations < 20) return;
    if (iterations < first + size + last) {
      first = iterations * 15 / 100;
      last = iterations / 10;
      size = iterations - first - last;
    }
    begin_ = first;
    const std::uint64_t end = iterations - last;
    for (std::uint64_t from = first; from < end; size *= 2) {
      from += size;
      if (from + 2 * size > end) from = end;
      ends_.push_back(from);
    }
  }

  /// Whether the draw of iteration i = 0, 1, ... is used for the metric.
  bool collects(std::uint64_t i) const { return !ends_.empty() && i >= begin_ && i < ends_.back(); }
  /// Whether the metric is updated after iteration i.
  bool closes(std::uint64_t i) const { return std::binary_search(ends_.begin(), ends_.end(), i + 1); }
  std::uint64_t begin() const { return begin_; }
  const std::vector<std::uint64_t>& ends() const { return ends_; }  ///< one past the last iteration of each window

 private:
  std::uint64_t begin_ = 0;
  std::vector<std::uint64_t> ends_;
};

}  // namespace sgmcmc
