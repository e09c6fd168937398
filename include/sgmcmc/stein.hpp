// Whether draws follow a density whose gradient is known: Stein's identities, as discrepancies and as moments.
//
// R-hat and effective sample sizes compare draws with one another; these compare them with the target. For every
// density p with decaying tails and every smooth f that does not grow too fast, E_p[f(x) grad log p(x) + grad f(x)] =
// 0: what the draws make of the left side tells how far they are from p, and needs no normalising constant.
//
// Gradients may be unbiased estimates, as long as their errors are independent from point to point. Moments and all
// statistics that leave out the pairs of a point with itself (the U-statistics) then stay unbiased; the V-statistic
// does not, and is meant for exact gradients.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sgmcmc {

/// Points with the gradient of the log density at each, chain after chain, on the unconstrained scale.
struct SteinPoints {
  std::size_t dimension = 0;
  std::vector<double> positions;     ///< points x dimension, point after point
  std::vector<double> gradients;     ///< likewise
  std::vector<double> weights;       ///< one per point, none negative; empty: all equal
  std::vector<std::size_t> lengths;  ///< points of each chain; empty: one chain

  std::size_t count() const { return dimension == 0 ? 0 : positions.size() / dimension; }
  void validate() const;  ///< throws OptionError when sizes do not fit or a number is not finite
};

/// `wanted` of `count` places, evenly spread: first and last of the stretches they stand for are treated alike. All of
/// them where no more are there.
std::vector<std::size_t> evenly_thinned(std::size_t count, std::size_t wanted);

/// How differences of points are measured: as they are, in standard deviations of the draws, or by the inverse of their
/// covariance.
enum class SteinScale : std::uint8_t { none, diagonal, full };

struct SteinKernelOptions {
  double offset = 1.0;  ///< c
  SteinScale scale = SteinScale::diagonal;
  std::size_t most_points = 2000;  ///< more are thinned evenly: the cost grows with the square
  int threads = 0;                 ///< 0: all there are. Never changes results.

  void validate() const;  ///< throws OptionError naming the option
};

/// Kernel Stein discrepancy with the inverse multiquadric kernel (c^2 + |x - y|^2)^(-1/2) (Gorham and Mackey 2017).
struct SteinDiscrepancy {
  std::size_t points = 0;  ///< used
  double v_squared = 0;    ///< mean over all pairs: never negative; for exact gradients
  /// Mean over pairs of different points: expectation 0 for independent draws from the target, also where gradients are
  /// estimates.
  double u_squared = 0;
  /// What the V-statistic would be for this many independent draws from the target: the part of it that pairs of a
  /// point with itself contribute.
  double exact_squared = 0;
};
SteinDiscrepancy stein_discrepancy(const SteinPoints& points, const SteinKernelOptions& options = {});

struct FiniteSetOptions {
  std::size_t locations = 10;  ///< drawn from a normal law with the mean and covariance of the draws
  double offset = 1.0;
  std::uint64_t seed = 1;

  void validate() const;  ///< throws OptionError naming the option
};

/// The finite-set Stein discrepancy (Jitkrittum et al. 2017): Stein's identity looked at from a few places only. Linear
/// in the number of points, all of which are used; differences are measured in standard deviations of the draws.
struct FiniteSetDiscrepancy {
  double squared = 0;  ///< the unbiased estimate: expectation 0 for draws from the target, and may be negative
  double error = 0;    ///< its standard error, autocorrelation included
};
FiniteSetDiscrepancy finite_set_discrepancy(const SteinPoints& points, const FiniteSetOptions& options = {});

/// What Stein's identities say about one coordinate.
struct CoordinateMoments {
  double mean = 0, standard_deviation = 0;  ///< of the draws
  double sd_ratio = 0;                      ///< standard deviation of the draws / that of the target
  double log_sd_ratio_error = 0;            ///< standard error of log(sd_ratio), which is about that of sd_ratio near 1
  double mean_shift = 0;                    ///< (mean of the draws - that of the target) / sd of the target
  double mean_shift_error = 0;              ///< its standard error
};

/// Moments of the target from gradients at the draws. With m and S the mean and covariance of the draws, the regression
/// of gradients on positions is g = gbar - H (x - m) + rest, H = -Cov(g, x) S^-1. If the draws are from p, then
/// Cov(g, x) = -I, whatever p is, so H = S^-1 and gbar = 0. If p is normal, H is its precision and m + H^-1 gbar its
/// mean, whatever the draws are. So H^-1 is the covariance to compare S with: exact where the draws are right, exact
/// for normal targets where they are wrong, and in between as good as a normal law near the draws is.
///
/// Errors are those of the mean of each point's influence on the result, by its autocorrelation along the chains: Monte
/// Carlo error of the draws and error of estimated gradients are both in there.
struct SteinMoments {
  std::vector<CoordinateMoments> coordinates;
  /// H, symmetrised, dimension x dimension. Empty where it cannot be found: too many coordinates for the draws there
  /// are, draws in a plane, or H not positive definite. Coordinates are then looked at one by one, by
  /// E_p[(x_j - m_j) g_j] = -1: true for every p, but attributing errors to coordinates only where these are
  /// independent.
  std::vector<double> precision;
};

struct SteinMomentsOptions {
  std::size_t most_dimensions = 500;  ///< more coordinates are looked at one by one
  double points_per_dimension = 4.0;  ///< fewer points than this many times the coordinates: likewise
  int threads = 1;                    ///< 0: all there are. Never changes results.
};
SteinMoments stein_moments(const SteinPoints& points, const SteinMomentsOptions& options = {});

}  // namespace sgmcmc
