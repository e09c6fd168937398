// The parameters and outputs that are written at each draw, as named in setting `keep`.
#pragma once

#include <sgmcmc/settings.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace sgmcmc {

/// Throws SettingError if the names cannot be used.
class KeptNames {
 public:
  explicit KeptNames(const RunSettings& settings);

  bool all() const { return all_; }  ///< nothing was chosen

  /// Before a run: refuses a name, element or range that is not in `names`, the elements computed at each draw.
  /// `not_computed`: variables that setting `outputs` excludes.
  void check(const std::vector<std::string>& names, const std::vector<std::string>& not_computed) const;

  /// Which of the names are kept. `names` may lack elements that were passed to check(): those of groups that are not
  /// drawn. Refuses a name of which no element remains.
  std::vector<bool> among(const std::vector<std::string>& names) const;
  std::size_t count(const std::vector<std::string>& names) const;  ///< how many
  /// For RunSinkParts::choose_written; this object must outlive the result.
  std::function<std::vector<bool>(const std::vector<std::string>& names)> chooser() const;

 private:
  std::string all_outputs_, groups_;  // option names for messages
  bool all_ = true;
  std::vector<std::string> wanted_;  // variables, elements "beta[3]" and ranges "beta[1:10]"; empty: keep none
};

}  // namespace sgmcmc
