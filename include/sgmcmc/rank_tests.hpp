// Tests whether the ranks of true values among draws are uniform, as they are if the draws come from the posterior.
//
// Talts, Betancourt, Simpson, Vehtari, Gelman: "Validating Bayesian inference algorithms with simulation-based
// calibration" (2018); Säilynoja, Bürkner, Vehtari: "Graphical test for discrete uniformity and its applications in
// goodness-of-fit evaluation and multiple sample comparison" (Statistics and Computing 32, 2022).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sgmcmc {

/// The number of draws below the true value. Ties are broken at random by `uniform`, a number in [0, 1).
std::uint32_t rank_among(double truth, std::span<const double> draws, double uniform);

/// Tests of the ranks of one quantity against the uniform distribution on 0, ..., draws.
struct RankTest {
  std::vector<std::uint64_t> histogram;  ///< ranks in bins of equal width, or nearly so
  double chi_square_p_value = 1;         ///< of the histogram
  /// P-value of the largest deviation of the empirical distribution function, measured at each point by its binomial
  /// tail: the probability of leaving the simultaneous band of Säilynoja et al. that just contains the ranks. Exact
  /// down to 1e-9, by their recursion.
  double ecdf_p_value = 1;
  /// P-value of mean and variance of the ranks jointly (Neyman's smooth test of order 2): shift_z^2 + spread_z^2 is
  /// approximately chi-square with 2 degrees of freedom. The most sensitive test to errors of location and width, which
  /// are the most common.
  double moments_p_value = 1;

  double shift = 0;    ///< bias of the draws in posterior standard deviations, if all distributions were normal
  double spread = 1;   ///< standard deviation of the draws relative to that of the posterior, likewise
  double shift_z = 0;  ///< standard errors by which the mean rank is below its expectation
  /// Standard errors by which the variance of the ranks is above its expectation: positive if draws are too narrow.
  double spread_z = 0;

  double smallest_p_value() const;
  /// The shape of the histogram in words: "U-shaped: the draws are too narrow, ...".
  std::string shape() const;
};

/// Ranks are from 0 to `draws`. bins 0: about ten ranks per bin, at most 20 bins. Throws OptionError for ranks out of
/// range, and if there are none.
RankTest test_ranks(std::span<const std::uint32_t> ranks, std::uint32_t draws, std::size_t bins = 0);

/// A simultaneous band: the counts of ranks below every threshold lie in it with probability at least 1 - level.
struct EcdfBand {
  std::vector<std::uint32_t> thresholds;    ///< ranks below this one are counted; at most 99 thresholds
  std::vector<std::uint64_t> lower, upper;  ///< limits of the counts, inclusive
  double pointwise_level = 0;               ///< two-sided, at each threshold
};
EcdfBand ecdf_band(std::uint64_t replications, std::uint32_t draws, double level);

}  // namespace sgmcmc
