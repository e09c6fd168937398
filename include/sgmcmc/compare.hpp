// Compares two sets of draws: parameter by parameter with Monte Carlo errors, and as whole distributions.
//
// The second set is the reference. All functions use the weights of the draws. Results do not depend on the number of
// threads. Distances over all pairs of draws use an evenly spaced selection of them.
#pragma once

#include <sgmcmc/draws.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sgmcmc {

/// Draws as points, without their division into chains.
struct DrawPoints {
  std::size_t dimension = 0;
  std::vector<double> values;   ///< `dimension` numbers per point
  std::vector<double> weights;  ///< one per point, non-negative, not all 0; empty: all equal

  std::size_t count() const { return dimension == 0 ? 0 : values.size() / dimension; }
  std::span<const double> point(std::size_t k) const { return {values.data() + k * dimension, dimension}; }
};

enum class ChainPart : std::uint8_t { whole, first_half, second_half };

/// The chosen parameters of the draws, in the order given; at most about `most` draws, evenly spaced (0: all of them).
DrawPoints draw_points(const MemoryDraws& draws, std::span<const std::size_t> parameters, std::size_t most = 0,
                       ChainPart part = ChainPart::whole);

/// E1 = sum |mean - mean'| / sum |mean'| and E2 = sum |C - C'| / sum |C'| over all elements of the covariances C, with
/// primes for the reference (Ahn, Korattikara, Welling: "Bayesian posterior sampling via stochastic gradient Fisher
/// scoring", 2012, equation 14). NaN if the denominator is 0.
struct RelativeErrors {
  double mean = 0;
  double covariance = 0;
};
RelativeErrors relative_errors(const DrawPoints& draws, const DrawPoints& reference, int threads = 0);

/// The largest difference between the two empirical distribution functions; ties do not count as a difference.
double ks_distance(std::span<const double> values, std::span<const double> reference,
                   std::span<const double> weights = {}, std::span<const double> reference_weights = {});
/// The largest difference between the empirical distribution function and that of the uniform distribution on [0, 1].
double ks_distance_from_uniform(std::span<const double> values, std::span<const double> weights = {});
/// P-value of a Kolmogorov-Smirnov distance with this many independent draws (for two sets of m and n draws, m n / (m +
/// n)), by Kolmogorov's limit distribution with Stephens' correction for small sizes.
double ks_probability(double distance, double size);

/// sqrt(2 E|X - Y| - E|X - X'| - E|Y - Y'|): 0 for equal sets only.
double energy_distance(const DrawPoints& draws, const DrawPoints& reference, int threads = 0);

/// sqrt(E k(X, X') + E k(Y, Y') - 2 E k(X, Y)) for k(x, y) = exp(-|x - y|^2 / (2 bandwidth^2)). Bandwidth 0: the median
/// distance between draws of the reference.
double maximum_mean_discrepancy(const DrawPoints& draws, const DrawPoints& reference, double bandwidth = 0,
                                int threads = 0);

/// The 2-Wasserstein distance between normal distributions with the means and covariances of the two sets.
double gaussian_wasserstein(const DrawPoints& draws, const DrawPoints& reference);

/// The root mean square, over random directions, of the 2-Wasserstein distances between the two sets projected there.
/// The directions depend on `seed` only.
double sliced_wasserstein(const DrawPoints& draws, const DrawPoints& reference, std::size_t directions = 200,
                          std::uint64_t seed = 1, int threads = 0);

/// Kullback-Leibler divergence of the draws from the reference, estimated from the nearest neighbours of every draw
/// (Wang, Kulkarni, Verdu: "Divergence estimation for multidimensional densities via k-nearest-neighbor distances",
/// 2009, section III). Consecutive equal draws of a chain are merged into one point with more weight; other ties remain
/// separate points. Reliable in few dimensions (about ten) and for nearly independent draws. NaN with fewer than
/// neighbours + 1 distinct points in either set.
double kl_divergence(const DrawPoints& draws, const DrawPoints& reference, std::size_t neighbours = 5, int threads = 0);

// Dirichlet targets ---------------------------------------------------------------------------------------------------

/// Kolmogorov-Smirnov distances of draws on a simplex from a Dirichlet distribution, by Rosenblatt's transform: the
/// share of a component in what the previous ones left has a beta distribution, so its distribution function there is
/// uniform.
struct DirichletComparison {
  std::vector<double> distances;  ///< of every component except the last, which the others determine
  double distance = 0;            ///< their mean
  std::size_t worst = 0;          ///< the component with the largest distance
  double probability = 0;         ///< p-value of the largest distance, given effective sample sizes
  std::size_t undefined = 0;      ///< shares omitted because the remainder was rounded to 0
};
/// The parameters are the components of the simplex, in the order of the concentrations. Throws OptionError if a draw
/// is not on the simplex.
DirichletComparison compare_with_dirichlet(const MemoryDraws& draws, std::span<const std::size_t> parameters,
                                           std::span<const double> concentration);

// Everything at once --------------------------------------------------------------------------------------------------

struct CompareOptions {
  std::size_t most_draws = 3000;       ///< maximum per set, for distances over all pairs
  std::size_t most_covariance = 1000;  ///< maximum number of variables for comparing covariances, which costs its cube
  std::size_t directions = 200;        ///< of the sliced Wasserstein distance
  std::size_t neighbours = 5;          ///< of the Kullback-Leibler divergence
  std::uint64_t seed = 1;              ///< of the directions
  int threads = 0;                     ///< 0: all processors
};

/// One parameter. Differences are in standard deviations of the reference, with Monte Carlo standard errors.
struct ParameterComparison {
  std::string name;
  double mean = 0, reference_mean = 0;
  double standard_deviation = 0, reference_standard_deviation = 0;
  double mean_difference = 0, mean_difference_mcse = 0;
  double sd_ratio = 0, sd_ratio_mcse = 0;
  double ks = 0, ks_probability = 0;
  double rhat = 0, reference_rhat = 0;

  double mean_z() const { return mean_difference / mean_difference_mcse; }
  double sd_z() const { return (sd_ratio - 1.0) / sd_ratio_mcse; }
};

/// A distance, and its Monte Carlo error: the larger of the same distances between the two halves of the chains of each
/// set. A distance below that error is not significant.
struct DistanceValue {
  double value = 0;
  double noise = 0;
};

struct Comparison {
  std::vector<ParameterComparison> parameters;
  std::vector<std::string> only_in_draws, only_in_reference;  ///< names not compared
  std::size_t draws = 0, reference_draws = 0;
  std::size_t compared_draws = 0, compared_reference_draws = 0;  ///< draws used for distances over all pairs
  // All but the first two scale every parameter by its standard deviation in the reference.
  DistanceValue mean_error, covariance_error;  ///< E1, E2
  DistanceValue energy, mmd, gaussian_wasserstein, sliced_wasserstein, kl;

  /// The |z| that the largest of all means and standard deviations exceeds with probability 1 % if nothing differs.
  double z_limit() const;
};

/// Compares the parameters that both sets have. Throws OptionError if there are none, if a set has fewer than two
/// draws, or for non-finite numbers.
Comparison compare(const MemoryDraws& draws, const MemoryDraws& reference, const CompareOptions& options = {});

}  // namespace sgmcmc
