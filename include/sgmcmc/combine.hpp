// Combining draws of subposteriors (<sgmcmc/subposterior.hpp>) into draws of the posterior given all rows.
//
// Rules work on unconstrained coordinates, from draws alone. consensus, parametric, semiparametric and swiss are exact
// where subposteriors are normal; docs/divide-and-conquer.md says when to use which.
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

/// Draws of one part: of each chain, draws x dimension, one draw after another.
struct PartDraws {
  std::vector<std::vector<double>> chains;
};

struct CombineOptions {
  CombineMethod method = CombineMethod::consensus;
  std::uint64_t seed = 1;
  std::size_t draws = 0;  ///< of each chain; 0: as many as the shortest chain of the parts has
  /// Of the kernels of nonparametric, semiparametric and weierstrass, in standard deviations of a part; 0: from the
  /// number of draws, or for weierstrass from the share of pairs that is accepted.
  double bandwidth = 0;

  void validate() const;  ///< throws OptionError naming the option
};

struct CombinedDraws {
  std::vector<std::vector<double>> chains;  ///< as in PartDraws
  /// Of proposed indices or pairs; NaN for rules without any.
  double acceptance = std::numeric_limits<double>::quiet_NaN();
  double bandwidth = std::numeric_limits<double>::quiet_NaN();  ///< the last one used; NaN for rules without kernels
};

/// As many chains as the part with the fewest. Throws DataError where a part has too few draws to tell its covariance,
/// or draws that do not vary.
CombinedDraws combine_draws(std::size_t dimension, const std::vector<PartDraws>& parts,
                            const CombineOptions& options = {});

}  // namespace sgmcmc
