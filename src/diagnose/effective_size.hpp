// The basis of all diagnostics: split R-hat, and the effective sample size of half chains.
//
// Weighted draws: to first order, the estimate sum(w x) / sum(w) varies as the mean of u = w (x - mean) / mean(w), so
// its error is that of the mean of the series u. Its effective sample size is the number of independent, equally
// weighted draws with that error: ess(u) var(x) / var(u), with var(x) the weighted variance. With equal weights u = x -
// mean.
#pragma once

#include <algorithm>
#include <cmath>
#include "diagnose/fourier.hpp"
#include "diagnose/half_chains.hpp"

#include <limits>
#include <span>

namespace sgmcmc {

inline bool has_nan(std::span<const double> values) {
  return std::any_of(values.begin(), values.end(), [](double x) { return std::isnan(x); });
}

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// Weighted mean and variance (unbiased for equal weights, NaN for fewer than two values); no weights: all equal.
struct Moments {
  double mean = not_a_number;
  double variance = not_a_number;
};
Moments moments_of(std::span<const double> values, std::span<const double> weights);

/// NaN if a value is not finite, or all are equal.
bool says_nothing(std::span<const double> values);

/// sqrt of (variance of all draws, estimated from between and within half chains) / (variance within).
double split_rhat(const HalfChains& halves);

/// Number of draws divided by the integrated autocorrelation time, which is summed by Geyer's initial monotone sequence
/// over all half chains together. NaN for half chains of fewer than three draws.
double effective_size(const HalfChains& halves, Autocovariance& autocovariance);

}  // namespace sgmcmc
