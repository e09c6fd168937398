// Coordinates in which a posterior is about standard normal, for samplers whose steps are the same in every direction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace sgmcmc {

/// What of the posterior's covariance is taken into account.
enum class Precondition : std::uint8_t {
  none,
  diagonal,   ///< the scale of each coordinate
  dense,      ///< correlations of all pairs too: D x D numbers, D^2 operations a step
  low_rank,   ///< the scales, and some directions that stand out
  automatic,  ///< dense for up to 500 coordinates, low_rank beyond
};

/// "none", "diagonal", "dense", "low-rank", "auto".
std::string_view precondition_name(Precondition precondition);
Precondition precondition_by_name(std::string_view name);  ///< throws OptionError listing the names

/// theta = centre + L u, with u about standard normal under the posterior: L L' is about its covariance.
struct Preconditioner {
  Precondition kind = Precondition::diagonal;  ///< diagonal, dense or low_rank
  std::vector<double> centre;                  ///< D numbers, unconstrained
  std::vector<double> scale;                   ///< S, D positive numbers; L = S of diagonal. Empty for dense
  /// dense: L itself, lower triangular, D x D by column. low_rank: k orthonormal columns U of D numbers,
  /// L = S (I + U diag(stretch - 1) U').
  std::vector<double> factor;
  std::vector<double> stretch;  ///< low_rank: k positive numbers

  std::size_t dimension() const { return centre.size(); }
  std::vector<double> standard_deviations() const;  ///< of the posterior, as L tells them
  void validate() const;                            ///< throws OptionError where sizes or signs do not fit
};

}  // namespace sgmcmc
