// Which parameters and outputs are written at each draw: the names of option `keep`.
#pragma once

#include "settings/values.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace sgmcmc {

class KeptNames {
 public:
  explicit KeptNames(const OptionValues& values);

  bool all() const { return all_; }  ///< nothing was chosen

  /// Before a run: throws UsageError where a name, element or range is not among `names`, the elements that are
  /// computed at each draw. `not_computed`: variables that option `outputs` leaves out.
  void check(const std::vector<std::string>& names, const std::vector<std::string>& not_computed) const;

  /// Which of the names are kept. `names` may lack elements that check() knew, those of groups that are not drawn;
  /// throws UsageError where that leaves nothing of something that was asked for.
  std::vector<bool> among(const std::vector<std::string>& names) const;
  std::size_t count(const std::vector<std::string>& names) const;  ///< how many

 private:
  std::string where_, all_outputs_, groups_;  // as messages write them
  bool all_ = true;
  std::vector<std::string> wanted_;  // variables, elements "beta[3]" and ranges "beta[1:10]"; nothing: none
};

}  // namespace sgmcmc
