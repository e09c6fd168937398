// Checks that two chains with the same random numbers reach the same position, so that a benchmark compares equal work.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace sgmcmc::bench {

template <class Real>
void check_same_place(const std::vector<double>& engine, std::span<const Real> by_hand, double tolerance) {
  for (std::size_t j = 0; j < by_hand.size(); ++j) {
    const double difference = std::abs(engine.at(j) - static_cast<double>(by_hand[j]));
    if (!(difference <= tolerance)) {
      throw std::runtime_error("engine and hand-written chain differ by " + std::to_string(difference) +
                               " in coordinate " + std::to_string(j));
    }
  }
}

}  // namespace sgmcmc::bench
