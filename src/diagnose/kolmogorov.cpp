// Kolmogorov-Smirnov distances of weighted draws, and their p-values.
#include "diagnose/effective_size.hpp"
#include "diagnose/weights.hpp"

#include <sgmcmc/compare.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace sgmcmc {
namespace {

using Entry = std::pair<double, double>;  // value, share of the weight

std::vector<Entry> sorted_with_shares(std::span<const double> values, std::span<const double> weights) {
  const auto shares = weight_shares(weights, values.size());
  std::vector<Entry> entries(values.size());
  for (std::size_t k = 0; k < values.size(); ++k) entries[k] = {values[k], shares[k]};
  std::sort(entries.begin(), entries.end());
  return entries;
}

}  // namespace

double ks_distance(std::span<const double> values, std::span<const double> reference, std::span<const double> weights,
                   std::span<const double> reference_weights) {
  if (values.empty() || reference.empty() || has_nan(values) || has_nan(reference)) return not_a_number;
  const auto ours = sorted_with_shares(values, weights), theirs = sorted_with_shares(reference, reference_weights);
  double largest = 0.0, below = 0.0, reference_below = 0.0;
  std::size_t i = 0, j = 0;
  while (i < ours.size() && j < theirs.size()) {
    const double here = std::min(ours[i].first, theirs[j].first);
    for (; i < ours.size() && ours[i].first == here; ++i) below += ours[i].second;
    for (; j < theirs.size() && theirs[j].first == here; ++j) reference_below += theirs[j].second;
    largest = std::max(largest, std::abs(below - reference_below));
  }
  return std::min(largest, 1.0);
}

double ks_distance_from_uniform(std::span<const double> values, std::span<const double> weights) {
  if (values.empty() || has_nan(values)) return not_a_number;
  double largest = 0.0, below = 0.0;
  for (const auto& [value, share] : sorted_with_shares(values, weights)) {
    const double expected = std::clamp(value, 0.0, 1.0);
    largest = std::max({largest, std::abs(below - expected), std::abs(below + share - expected)});
    below += share;
  }
  return std::min(largest, 1.0);
}

double ks_probability(double distance, double size) {
  if (!(size > 0.0) || std::isnan(distance)) return not_a_number;
  const double root = std::sqrt(size);
  const double x = (root + 0.12 + 0.11 / root) * distance;
  if (x < 1.0) {  // the form of the theta function that converges for small x
    if (x < 0.1) return 1.0;
    double sum = 0.0;
    for (int k = 1; k <= 9; k += 2) sum += std::exp(-(k * k) * std::numbers::pi * std::numbers::pi / (8.0 * x * x));
    return 1.0 - std::sqrt(2.0 * std::numbers::pi) / x * sum;
  }
  double sum = 0.0;
  for (int k = 1; k <= 8; ++k) sum += (k % 2 == 1 ? 2.0 : -2.0) * std::exp(-2.0 * k * k * x * x);
  return std::clamp(sum, 0.0, 1.0);
}

}  // namespace sgmcmc
