// Interleaved timing of several contenders, so that other load on the machine affects all of them equally.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace sgmcmc::bench {

inline double microseconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
}

inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Work done in blocks of `steps` steps; a round times one block of each contender.
struct Contender {
  std::function<void()> step;
  int steps = 1;
};

class Timings {
 public:
  Timings(const std::vector<Contender>& contenders, int rounds) : microseconds_(contenders.size()) {
    for (const auto& contender : contenders) contender.step();  // first use: page faults, caches, clocks
    for (int round = 0; round < rounds; ++round) {
      for (std::size_t turn = 0; turn < contenders.size(); ++turn) {
        // The order varies, so that no contender always runs after the same one, with the caches as that leaves them.
        const std::size_t who = (turn + static_cast<std::size_t>(round)) % contenders.size();
        const Contender& contender = contenders[who];
        const double total = microseconds_of([&] {
          for (int step = 0; step < contender.steps; ++step) contender.step();
        });
        microseconds_[who].push_back(total / contender.steps);
      }
    }
  }

  /// Microseconds per step of the fastest round, which was least disturbed by other load.
  double best(std::size_t who) const { return *std::min_element(microseconds_[who].begin(), microseconds_[who].end()); }

  /// Median over rounds of the time of one contender over that of another in the same round.
  double ratio(std::size_t who, std::size_t over) const {
    std::vector<double> ratios;
    for (std::size_t round = 0; round < microseconds_[who].size(); ++round) {
      ratios.push_back(microseconds_[who][round] / microseconds_[over][round]);
    }
    return median(std::move(ratios));
  }

  /// Median over rounds of (first / first_over) / (second / second_over).
  double ratio_of_ratios(std::size_t first, std::size_t first_over, std::size_t second, std::size_t second_over) const {
    std::vector<double> ratios;
    for (std::size_t round = 0; round < microseconds_[first].size(); ++round) {
      const auto at = [&](std::size_t who) { return microseconds_[who][round]; };
      ratios.push_back(at(first) / at(first_over) / (at(second) / at(second_over)));
    }
    return median(std::move(ratios));
  }

 private:
  std::vector<std::vector<double>> microseconds_;
};

}  // namespace sgmcmc::bench
