// Which variables are meant: the names of --only.
#pragma once

#include "cli/option_values.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace sgmcmc::cli {

/// "a,b[1,2],c" in its parts: a comma inside brackets belongs to a name.
std::vector<std::string> split_names(const std::string& text);

/// Positions of the names of --only, each an element or a whole variable; all when nothing is asked for. Throws
/// UsageError naming what there is not.
std::vector<std::size_t> chosen_names(const OptionValues& values, const std::vector<std::string>& names);

}  // namespace sgmcmc::cli
