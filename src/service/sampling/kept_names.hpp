// Which parameters and outputs are written at each draw: the names of setting `keep`.
#pragma once

#include <sgmcmc/settings.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace sgmcmc {

/// Throws SettingError where the names cannot be used.
class KeptNames {
 public:
  explicit KeptNames(const RunSettings& settings);

  bool all() const { return all_; }  ///< nothing was chosen

  /// Before a run: refuses a name, element or range that is not among `names`, the elements that are computed at each
  /// draw. `not_computed`: variables that setting `outputs` leaves out.
  void check(const std::vector<std::string>& names, const std::vector<std::string>& not_computed) const;

  /// Which of the names are kept. `names` may lack elements that check() knew, those of groups that are not drawn;
  /// refuses what that leaves nothing of.
  std::vector<bool> among(const std::vector<std::string>& names) const;
  std::size_t count(const std::vector<std::string>& names) const;  ///< how many
  /// For RunSinkParts::choose_written; this must outlive it.
  std::function<std::vector<bool>(const std::vector<std::string>& names)> chooser() const;

 private:
  std::string all_outputs_, groups_;  // as messages write them
  bool all_ = true;
  std::vector<std::string> wanted_;  // variables, elements "beta[3]" and ranges "beta[1:10]"; nothing: none
};

}  // namespace sgmcmc
