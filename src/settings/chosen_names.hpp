// Which variables are meant: the names of option `only`.
#pragma once

#include "settings/values.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace sgmcmc {

/// "a,b[1,2],c" in its parts: a comma inside brackets belongs to a name.
std::vector<std::string> split_names(const std::string& text);

/// Says why a name is not among these: there is no such variable, or it has no such element.
std::string why_unknown(const std::string& name, const std::vector<std::string>& names);

/// Positions of the names of option `only`, each an element or a whole variable; all when nothing is asked for. Throws
/// UsageError for a name that is neither among `names` nor among `absent`, names that are known but have no position.
std::vector<std::size_t> chosen_names(const OptionValues& values, const std::vector<std::string>& names,
                                      const std::vector<std::string>& absent = {});

/// Before a run: throws UsageError where `only` names a variable that the draws will not have. `not_kept`: variables
/// that `outputs` leaves out.
void check_chosen_names(const OptionValues& values, const std::vector<std::string>& names,
                        const std::vector<std::string>& not_kept);

}  // namespace sgmcmc
