// Run settings as given by front ends in other languages: strings by name, as in configuration files.
#pragma once

#include "settings/values.hpp"

#include <string>
#include <utility>
#include <vector>

namespace sgmcmc {

using GivenSettings = std::vector<std::pair<std::string, std::string>>;

/// The options of `sample` that are settings or concern the files of a run; excludes those for the terminal.
std::vector<const OptionDeclaration*> settings_of_sample();

/// files: accept options about the files of a run. Throws OptionError for an unknown setting, with a suggestion.
OptionValues option_values(Command command, const GivenSettings& given, bool files);

}  // namespace sgmcmc
