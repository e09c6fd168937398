// Settings of runs, as front ends in other languages give them: texts by name, as configuration files have them.
#pragma once

#include "settings/values.hpp"

#include <string>
#include <utility>
#include <vector>

namespace sgmcmc {

using GivenSettings = std::vector<std::pair<std::string, std::string>>;

/// Options of `sample` that are settings, or about the files of a run; without those for a terminal.
std::vector<const OptionDeclaration*> settings_of_sample();

/// files: with those about the files of a run. Throws OptionError for a name that is no setting, suggesting one.
OptionValues option_values(Command command, const GivenSettings& given, bool files);

}  // namespace sgmcmc
