// Preconditioners: coordinates in which a posterior is approximately standard normal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace sgmcmc {

/// The approximation of the posterior covariance.
enum class Precondition : std::uint8_t {
  none,
  diagonal,   ///< the scale of each coordinate
  dense,      ///< the full covariance: D x D numbers, D^2 operations per step
  low_rank,   ///< the scales, and a few outlying eigenvectors
  automatic,  ///< dense for up to 500 coordinates, low_rank beyond
};

/// "none", "diagonal", "dense", "low-rank", "auto".
std::string_view precondition_name(Precondition precondition);
Precondition precondition_by_name(std::string_view name);  ///< throws OptionError listing the names

/// theta = centre + L u, with u approximately standard normal under the posterior: L L' approximates its covariance.
struct Preconditioner {
  Precondition kind = Precondition::diagonal;  ///< diagonal, dense or low_rank
  std::vector<double> centre;                  ///< D numbers, unconstrained
  std::vector<double> scale;                   ///< S, D positive numbers; diagonal: L = S. Empty for dense
  /// dense: L itself, lower triangular, D x D by column. low_rank: k orthonormal columns U of D numbers,
  /// L = S (I + U diag(stretch - 1) U').
  std::vector<double> factor;
  std::vector<double> stretch;  ///< low_rank: k positive numbers

  std::size_t dimension() const { return centre.size(); }
  std::vector<double> standard_deviations() const;  ///< of the posterior, according to L
  void validate() const;                            ///< throws OptionError for wrong sizes or signs
};

}  // namespace sgmcmc
