// Ranks, normal scores and quantiles of the draws of one quantity, from one sort.
#pragma once

#include "diagnose/half_chains.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sgmcmc {

/// Draws in ascending order; `position` is the original index of each.
struct SortedDraws {
  struct Entry {
    double value;
    std::uint32_t position;
  };
  std::vector<Entry> entries;
};

/// The values must not contain NaN.
SortedDraws sort_draws(std::span<const double> values);
/// The distances from `centre`, sorted by merging; centre finite.
SortedDraws fold_draws(const SortedDraws& sorted, double centre);

/// Ranks turned into quantiles of the standard normal distribution: rank r of S (ties share their mean rank) becomes
/// the quantile at (r - 3/8) / (S + 1/4). Weighted draws have the rank S (weight below + half the weight of equals) /
/// (total weight) + 1/2. Keeps the table of the scores of S untied draws between calls.
class NormalScores {
 public:
  /// Scores in the original order.
  std::vector<double> of(const SortedDraws& sorted, std::span<const double> weights);

 private:
  double at(double rank) const;

  std::size_t size_ = 0;
  std::vector<double> lower_;  // scores of ranks 1, 2, ..., size / 2; the others mirror them
};

/// Values and cumulative weights in ascending order, for quantiles.
class Quantiles {
 public:
  /// Weights in the original order; empty: all equal.
  Quantiles(const SortedDraws& sorted, std::span<const double> weights);

  /// Linear interpolation between neighbours, as R's and NumPy's default; MemoryDraws::quantile() for weights.
  double at(double probability) const;
  /// The last value with at most this share of the weight at or below it; at least the first value.
  double at_most(double share) const;
  /// The first value at or below which at least this share of the weight lies.
  double at_least(double share) const;

 private:
  std::vector<double> sorted_;
  std::vector<double> cumulative_;  // of weights, inclusive; empty if all are equal
  std::vector<double> positions_;   // likewise, at the middle of each weight, from zero
};

}  // namespace sgmcmc
