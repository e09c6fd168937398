// Reports of optimisers as numbers, for checkpoints.
#pragma once

#include <sgmcmc/error.hpp>
#include <sgmcmc/optimize.hpp>

#include <cstdint>
#include <vector>

namespace sgmcmc {

inline std::vector<double> numbers_of(const OptimizeReport& report) {
  return {static_cast<double>(report.reason),
          static_cast<double>(report.iterations),
          static_cast<double>(report.evaluations),
          report.value,
          report.gradient_norm,
          report.predicted_gain};
}

/// Throws OptionError if these are not the numbers of a report.
inline OptimizeReport report_of(const std::vector<double>& numbers) {
  if (numbers.size() != 6) throw OptionError("findings: 'mode_report' is not that of this model");
  OptimizeReport report;
  report.reason = static_cast<StopReason>(static_cast<int>(numbers[0]));
  report.iterations = static_cast<std::uint64_t>(numbers[1]);
  report.evaluations = static_cast<std::uint64_t>(numbers[2]);
  report.value = numbers[3];
  report.gradient_norm = numbers[4];
  report.predicted_gain = numbers[5];
  return report;
}

}  // namespace sgmcmc
