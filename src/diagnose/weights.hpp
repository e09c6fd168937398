// Normalised weights of draws.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace sgmcmc {

/// Sums to 1. Without weights: all equal.
inline std::vector<double> weight_shares(std::span<const double> weights, std::size_t count) {
  std::vector<double> shares(count, 1.0 / static_cast<double>(count));
  if (weights.empty()) return shares;
  double total = 0.0;
  for (const double w : weights) total += w;
  for (std::size_t k = 0; k < count; ++k) shares[k] = weights[k] / total;
  return shares;
}

}  // namespace sgmcmc
