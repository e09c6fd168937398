// Whether ranks are uniform: of true values among draws they are, when the draws come from the posterior.
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

/// How many draws are below the true value. Where some are equal to it, its place among them is drawn with `uniform`, a
/// number in [0, 1).
std::uint32_t rank_among(double truth, std::span<const double> draws, double uniform);

/// Ranks of one quantity, tested against the uniform law on 0, ..., draws.
struct RankTest {
  std::vector<std::uint64_t> histogram;  ///< ranks in bins of equal width, or nearly so
  double chi_square_p_value = 1;         ///< of the histogram
  /// Of the largest deviation of the empirical distribution function, measured at each point by its binomial tail: the
  /// probability that a simultaneous band of Säilynoja et al. just wide enough is left. Exact down to 1e-9, by their
  /// recursion.
  double ecdf_p_value = 1;
  /// Of mean and variance of the ranks together (Neyman's smooth test of order 2): shift_z^2 + spread_z^2 is about
  /// chi-square with 2 degrees of freedom. What samplers get wrong most is location and width, and this sees it first.
  double moments_p_value = 1;

  double shift = 0;     ///< by how many posterior standard deviations the draws are too high, were all laws normal
  double spread = 1;    ///< standard deviation of the draws relative to the posterior's, likewise
  double shift_z = 0;   ///< how many standard errors the mean rank lies below its expectation
  double spread_z = 0;  ///< how many the ranks' variance lies above it: positive for draws too narrow

  double smallest_p_value() const;
  /// What the shape of the histogram says, in words: "U-shaped: the draws are too narrow, ...".
  std::string shape() const;
};

/// Ranks are from 0 to `draws`. bins 0: about a bin for every ten ranks, at most 20. Throws OptionError for a rank
/// outside, and when there are none.
RankTest test_ranks(std::span<const std::uint32_t> ranks, std::uint32_t draws, std::size_t bins = 0);

/// Between which numbers the count of ranks below each threshold lies, at all thresholds at once, with at least the
/// probability 1 - level.
struct EcdfBand {
  std::vector<std::uint32_t> thresholds;    ///< ranks below this one are counted; at most 99 thresholds
  std::vector<std::uint64_t> lower, upper;  ///< counts still inside
  double pointwise_level = 0;               ///< two-sided, at every threshold by itself
};
EcdfBand ecdf_band(std::uint64_t replications, std::uint32_t draws, double level);

}  // namespace sgmcmc
