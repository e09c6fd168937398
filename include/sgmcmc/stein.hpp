// Compares draws with a density by its gradients: Stein discrepancies, and moments from Stein's identities.
//
// R-hat and effective sample sizes compare draws with one another; these compare them with the target. For every
// density p with decaying tails and every smooth f that does not grow too fast, E_p[f(x) grad log p(x) + grad f(x)] =
// 0: the mean of the left side over the draws measures how far they are from p, without the normalising constant.
//
// Gradients may be unbiased estimates, as long as their errors are independent from point to point. Moments and
// U-statistics, which omit the pairs of a point with itself, then remain unbiased; the V-statistic needs exact
// gradients.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sgmcmc {

/// Points with the gradients of the log density there, chain after chain, on the unconstrained scale.
struct SteinPoints {
  std::size_t dimension = 0;
  std::vector<double> positions;     ///< points x dimension, point after point
  std::vector<double> gradients;     ///< likewise
  std::vector<double> weights;       ///< one per point, non-negative; empty: all equal
  std::vector<std::size_t> lengths;  ///< points of each chain; empty: one chain

  std::size_t count() const { return dimension == 0 ? 0 : positions.size() / dimension; }
  void validate() const;  ///< throws OptionError for inconsistent sizes or non-finite numbers
};

/// `wanted` evenly spaced indices below `count`, symmetric about the middle; all of them if `count` is not larger.
std::vector<std::size_t> evenly_thinned(std::size_t count, std::size_t wanted);

/// Scaling of differences between points: none, by the standard deviations of the draws, or by their inverse
/// covariance.
enum class SteinScale : std::uint8_t { none, diagonal, full };

struct SteinKernelOptions {
  double offset = 1.0;  ///< c
  SteinScale scale = SteinScale::diagonal;
  std::size_t most_points = 2000;  ///< more are thinned evenly: the cost grows with the square
  int threads = 0;                 ///< 0: all processors. Does not affect results

  void validate() const;  ///< throws OptionError naming the option
};

/// Kernel Stein discrepancy with the inverse multiquadric kernel (c^2 + |x - y|^2)^(-1/2) (Gorham and Mackey 2017).
struct SteinDiscrepancy {
  std::size_t points = 0;  ///< used
  double v_squared = 0;    ///< mean over all pairs: never negative; for exact gradients
  /// Mean over pairs of different points: expectation 0 for independent draws from the target, also with gradient
  /// estimates.
  double u_squared = 0;
  /// Expectation of the V-statistic for this many independent draws from the target: the contribution of pairs of a
  /// point with itself.
  double exact_squared = 0;
};
SteinDiscrepancy stein_discrepancy(const SteinPoints& points, const SteinKernelOptions& options = {});

struct FiniteSetOptions {
  std::size_t locations = 10;  ///< drawn from a normal distribution with the mean and covariance of the draws
  double offset = 1.0;
  std::uint64_t seed = 1;

  void validate() const;  ///< throws OptionError naming the option
};

/// The finite-set Stein discrepancy (Jitkrittum et al. 2017): Stein's identity at a few test locations. Costs time
/// linear in the number of points and uses all of them; scales differences by the standard deviations of the draws.
struct FiniteSetDiscrepancy {
  double squared = 0;  ///< unbiased: expectation 0 for draws from the target; may be negative
  double error = 0;    ///< its standard error, including autocorrelation
};
FiniteSetDiscrepancy finite_set_discrepancy(const SteinPoints& points, const FiniteSetOptions& options = {});

/// Results of Stein's identities for one coordinate.
struct CoordinateMoments {
  double mean = 0, standard_deviation = 0;  ///< of the draws
  double sd_ratio = 0;                      ///< sd of the draws / sd of the target
  double log_sd_ratio_error = 0;            ///< standard error of log(sd_ratio), which is about that of sd_ratio near 1
  double mean_shift = 0;                    ///< (mean of the draws - mean of the target) / sd of the target
  double mean_shift_error = 0;              ///< its standard error
};

/// Moments of the target from gradients at the draws. With m and S the mean and covariance of the draws, the regression
/// of gradients on positions is g = gbar - H (x - m) + rest, H = -Cov(g, x) S^-1. If the draws are from p, then Cov(g,
/// x) = -I for any p, so H = S^-1 and gbar = 0. If p is normal, H is its precision and m + H^-1 gbar its mean for any
/// draws. So S is compared with H^-1, which is exact for draws from p and for normal p, and otherwise as accurate as a
/// normal approximation of p near the draws.
///
/// Standard errors come from the influence of each point on the result and its autocorrelation along the chains. They
/// include the Monte Carlo error of the draws and the error of estimated gradients.
struct SteinMoments {
  std::vector<CoordinateMoments> coordinates;
  /// H, symmetrised, dimension x dimension. Empty if it cannot be estimated: too many coordinates for the number of
  /// draws, linearly dependent draws, or H not positive definite. Coordinates are then analysed one by one, by E_p[(x_j
  /// - m_j) g_j] = -1, which holds for every p, but attributes errors to the right coordinate only if coordinates are
  /// independent.
  std::vector<double> precision;
};

struct SteinMomentsOptions {
  std::size_t most_dimensions = 500;  ///< beyond it, coordinates are analysed one by one
  double points_per_dimension = 4.0;  ///< with fewer points per coordinate: likewise
  int threads = 1;                    ///< 0: all processors. Does not affect results
};
SteinMoments stein_moments(const SteinPoints& points, const SteinMomentsOptions& options = {});

}  // namespace sgmcmc
