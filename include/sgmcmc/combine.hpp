// Combines draws of subposteriors (<sgmcmc/subposterior.hpp>) into draws of the posterior given all rows.
//
// The rules use draws on the unconstrained scale and nothing else. consensus, parametric, semiparametric and swiss are
// exact for normal subposteriors; docs/divide-and-conquer.md says when to use which rule.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

namespace sgmcmc {

enum class CombineMethod : std::uint8_t {
  consensus,
  parametric,
  nonparametric,
  semiparametric,
  weierstrass,
  swiss,
  barycentre
};

struct CombineRule {
  CombineMethod method = CombineMethod::consensus;
  std::string_view name;
  std::string_view summary;  ///< one line
};
const std::vector<CombineRule>& combine_rules();
std::string_view combine_method_name(CombineMethod method);
std::optional<CombineMethod> combine_method_by_name(std::string_view name);

/// Draws of one part: for each chain, draws x dimension numbers, one draw after another.
struct PartDraws {
  std::vector<std::vector<double>> chains;
};

struct CombineOptions {
  CombineMethod method = CombineMethod::consensus;
  std::uint64_t seed = 1;
  /// Per chain; 0: the length of the shortest chain of any part. consensus, swiss and barycentre cannot give more.
  std::size_t draws = 0;
  /// Kernel bandwidth of nonparametric, semiparametric and weierstrass, in standard deviations of a part. 0: chosen
  /// from the number of draws or, for weierstrass, from the acceptance rate of pairs.
  double bandwidth = 0;

  void validate() const;  ///< throws OptionError naming the option
};

struct CombinedDraws {
  std::vector<std::vector<double>> chains;  ///< as in PartDraws
  /// Acceptance rate of proposed indices or pairs; NaN for rules that propose none.
  double acceptance = std::numeric_limits<double>::quiet_NaN();
  double bandwidth = std::numeric_limits<double>::quiet_NaN();  ///< the last one used; NaN for rules without kernels
  /// The Monte Carlo error of the parts' means and covariances that all draws share, which diagnostics of the draws
  /// cannot see: a symmetric matrix whose square is the covariance of that error of the mean, dimension x dimension.
  std::vector<double> shared_error = {};
};

/// Returns as many chains as the part with the fewest. Throws DataError if a part has too few draws to estimate its
/// covariance, or draws that do not vary, and OptionError if more draws are asked for than the rule can give.
CombinedDraws combine_draws(std::size_t dimension, const std::vector<PartDraws>& parts,
                            const CombineOptions& options = {});

}  // namespace sgmcmc
