// Collects one number of each row of a batch.
#pragma once

#include "plan/executor.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

namespace sgmcmc {

/// Writes the number of each row to its position in `to`, which has one entry per row of the batch.
class RowValues final : public RowConsumer {
 public:
  explicit RowValues(std::span<double> to) : to_(to) {}
  void consume(std::uint32_t position, std::uint32_t count, const double* values, std::int64_t) override {
    std::copy_n(values, count, to_.begin() + position);
  }

 private:
  std::span<double> to_;
};

}  // namespace sgmcmc
