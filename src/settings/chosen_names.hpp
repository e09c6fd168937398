// Selects variables by the names in option `only`.
#pragma once

#include "settings/values.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace sgmcmc {

/// Splits "a,b[1,2],c" at commas outside brackets.
std::vector<std::string> split_names(const std::string& text);

/// Why `name` is not in `names`: the variable does not exist, or it does not have that element.
std::string why_unknown(const std::string& name, const std::vector<std::string>& names);

/// Positions in `names` of the elements and variables in option `only`; all positions if it is not given. `absent`
/// lists valid names without a position. Throws UsageError for a name in neither list.
std::vector<std::size_t> chosen_names(const OptionValues& values, const std::vector<std::string>& names,
                                      const std::vector<std::string>& absent = {});

/// Before a run: throws UsageError if `only` names a variable that the draws will not contain. `not_kept`: variables
/// that option `outputs` excludes.
void check_chosen_names(const OptionValues& values, const std::vector<std::string>& names,
                        const std::vector<std::string>& not_kept);

}  // namespace sgmcmc
