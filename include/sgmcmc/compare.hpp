// How far apart two sets of draws are: parameter by parameter with Monte Carlo errors, and as whole distributions.
//
// The second set is the reference. Weights are respected everywhere: a draw counts by its share of the total weight.
// Nothing depends on the number of threads. What needs every pair of draws takes an even selection of them.
#pragma once

#include <sgmcmc/draws.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sgmcmc {

/// Draws as points, one after the other, without their chains.
struct DrawPoints {
  std::size_t dimension = 0;
  std::vector<double> values;   ///< `dimension` numbers per point
  std::vector<double> weights;  ///< one per point, none negative, not all 0; empty: all equal

  std::size_t count() const { return dimension == 0 ? 0 : values.size() / dimension; }
  std::span<const double> point(std::size_t k) const { return {values.data() + k * dimension, dimension}; }
};

enum class ChainPart : std::uint8_t { whole, first_half, second_half };

/// The chosen parameters of the draws, in the order given; at most about `most` draws, evenly spaced (0: all of them).
DrawPoints draw_points(const MemoryDraws& draws, std::span<const std::size_t> parameters, std::size_t most = 0,
                       ChainPart part = ChainPart::whole);

/// E1 = sum |mean - mean'| / sum |mean'| and E2 = sum |C - C'| / sum |C'| over all elements of the covariances C, with
/// primes for the reference (Ahn, Korattikara, Welling: "Bayesian posterior sampling via stochastic gradient Fisher
/// scoring", 2012, equation 14). NaN where the denominator is 0.
struct RelativeErrors {
  double mean = 0;
  double covariance = 0;
};
RelativeErrors relative_errors(const DrawPoints& draws, const DrawPoints& reference, int threads = 0);

/// The largest difference between the two empirical distribution functions; ties are no difference.
double ks_distance(std::span<const double> values, std::span<const double> reference,
                   std::span<const double> weights = {}, std::span<const double> reference_weights = {});
/// The largest difference between the empirical distribution function and that of the uniform law on [0, 1].
double ks_distance_from_uniform(std::span<const double> values, std::span<const double> weights = {});
/// How likely a Kolmogorov-Smirnov distance as large is by chance, with this many independent draws; for two sets of m
/// and n draws that is m n / (m + n). By Kolmogorov's limit law with Stephens' correction for small sizes.
double ks_probability(double distance, double size);

/// sqrt(2 E|X - Y| - E|X - X'| - E|Y - Y'|): 0 for equal sets only.
double energy_distance(const DrawPoints& draws, const DrawPoints& reference, int threads = 0);

/// sqrt(E k(X, X') + E k(Y, Y') - 2 E k(X, Y)) for k(x, y) = exp(-|x - y|^2 / (2 bandwidth^2)). A bandwidth of 0 stands
/// for the median distance between draws of the reference.
double maximum_mean_discrepancy(const DrawPoints& draws, const DrawPoints& reference, double bandwidth = 0,
                                int threads = 0);

/// The 2-Wasserstein distance between the normal laws with the means and covariances of the two sets.
double gaussian_wasserstein(const DrawPoints& draws, const DrawPoints& reference);

/// The root mean square, over random directions, of the 2-Wasserstein distances between the two sets projected there.
/// The directions are a function of `seed` alone.
double sliced_wasserstein(const DrawPoints& draws, const DrawPoints& reference, std::size_t directions = 200,
                          std::uint64_t seed = 1, int threads = 0);

/// Kullback-Leibler divergence of the draws' law from the reference's, from the nearest neighbours of every draw (Wang,
/// Kulkarni, Verdu: "Divergence estimation for multidimensional densities via k-nearest-neighbor distances", 2009,
/// section III). A draw that a chain repeats is one point with more weight, not a neighbour of itself; other ties count
/// as the equal points they are. Trust it in few dimensions (ten or so) and with draws that are nearly independent. NaN
/// with fewer than neighbours + 1 distinct points in either set.
double kl_divergence(const DrawPoints& draws, const DrawPoints& reference, std::size_t neighbours = 5, int threads = 0);

// Dirichlet targets
// -----------------------------------------------------------------------------------------------------

/// Kolmogorov-Smirnov distances of draws on a simplex from a Dirichlet law, by Rosenblatt's transform: the share that a
/// component takes of what those before it left has a beta law, so its distribution function there is uniform.
struct DirichletComparison {
  std::vector<double> distances;  ///< of every component but the last, which the others determine
  double distance = 0;            ///< their mean
  std::size_t worst = 0;          ///< the component with the largest
  double probability = 0;         ///< of one so large by chance in any component, given effective sample sizes
  std::size_t undefined = 0;      ///< shares left out because rounding had left nothing to share
};
/// The parameters are the components of the simplex, in order, as many as concentrations. Throws OptionError when a
/// draw is not on the simplex.
DirichletComparison compare_with_dirichlet(const MemoryDraws& draws, std::span<const std::size_t> parameters,
                                           std::span<const double> concentration);

// Everything at once
// ----------------------------------------------------------------------------------------------------

struct CompareOptions {
  std::size_t most_draws = 3000;       ///< of each set, where every pair of draws is looked at
  std::size_t most_covariance = 1000;  ///< variables up to which covariances are compared; their cost is cubic
  std::size_t directions = 200;        ///< of the sliced Wasserstein distance
  std::size_t neighbours = 5;          ///< of the Kullback-Leibler divergence
  std::uint64_t seed = 1;              ///< of the directions
  int threads = 0;                     ///< 0: all there are
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

/// A distance, and the larger of the same distances between the halves of the chains of either set. The latter is what
/// Monte Carlo error alone may reach: a distance below it says nothing.
struct DistanceValue {
  double value = 0;
  double noise = 0;
};

struct Comparison {
  std::vector<ParameterComparison> parameters;
  std::vector<std::string> only_in_draws, only_in_reference;  ///< names that were left out
  std::size_t draws = 0, reference_draws = 0;
  std::size_t compared_draws = 0, compared_reference_draws = 0;  ///< of them, where every pair is looked at
  // All but the first two with every parameter divided by its standard deviation in the reference.
  DistanceValue mean_error, covariance_error;  ///< E1, E2
  DistanceValue energy, mmd, gaussian_wasserstein, sliced_wasserstein, kl;

  /// |z| that one of the means and standard deviations exceeds with probability 1 % where nothing differs.
  double z_limit() const;
};

/// Compares the parameters that both sets have. Throws OptionError when there are none, a set has fewer than two draws,
/// or a number is not finite.
Comparison compare(const MemoryDraws& draws, const MemoryDraws& reference, const CompareOptions& options = {});

}  // namespace sgmcmc
