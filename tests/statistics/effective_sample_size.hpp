// Effective sample sizes of one chain: by autocorrelations (Geyer 1992, initial monotone sequence) and by batch means.
#pragma once

#include "statistics/significance.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace sgmcmc::testing {

inline double mean_of(std::span<const double> values) {
  double sum = 0.0;
  for (const double x : values) sum += x;
  return sum / static_cast<double>(values.size());
}

/// n / (1 + 2 sum of autocorrelations), the sum cut where sums of adjacent pairs stop being positive and decreasing.
inline double effective_sample_size(std::span<const double> chain) {
  const std::size_t n = chain.size();
  const double mean = mean_of(chain);
  const auto autocovariance = [&](std::size_t lag) {
    double sum = 0.0;
    for (std::size_t k = 0; k + lag < n; ++k) sum += (chain[k] - mean) * (chain[k + lag] - mean);
    return sum / static_cast<double>(n);
  };
  const double variance = autocovariance(0);
  if (!(variance > 0.0)) return static_cast<double>(n);
  double total = -variance;
  double smallest = 2.0 * variance;
  for (std::size_t lag = 0; lag + 1 < n; lag += 2) {
    const double pair = std::min(autocovariance(lag) + autocovariance(lag + 1), smallest);
    if (pair <= 0.0) break;
    smallest = pair;
    total += 2.0 * pair;
  }
  return std::min(static_cast<double>(n) * variance / total,
                  static_cast<double>(n) * std::log10(static_cast<double>(n)));
}

/// The mean of a chain, with a standard error that accounts for autocorrelation.
inline Estimate mean_of_chain(std::span<const double> chain) {
  const double mean = mean_of(chain);
  double variance = 0.0;
  for (const double x : chain) variance += (x - mean) * (x - mean);
  variance /= static_cast<double>(chain.size() - 1);
  return {mean, std::sqrt(variance / effective_sample_size(chain))};
}

/// The same by batch means: the chain is cut in `batches` pieces treated as independent.
inline Estimate mean_by_batches(std::span<const double> chain, std::size_t batches = 50) {
  const std::size_t length = chain.size() / batches;
  std::vector<double> means(batches);
  for (std::size_t b = 0; b < batches; ++b) means[b] = mean_of(chain.subspan(b * length, length));
  return mean_of_replicates(means);
}

}  // namespace sgmcmc::testing
