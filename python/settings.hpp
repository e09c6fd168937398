// Settings of runs, as Python gives them: texts by name, as configuration files have them.
#pragma once

#include "settings/values.hpp"

#include <string>
#include <utility>
#include <vector>

namespace sgmcmc::python {

using GivenSettings = std::vector<std::pair<std::string, std::string>>;

/// files: with those about the files of a run. Throws OptionError for a name that is no setting, suggesting one.
OptionValues option_values(Command command, const GivenSettings& given, bool files);

}  // namespace sgmcmc::python
