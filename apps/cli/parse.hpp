// Converts command-line arguments, and the configuration file they name, to option values.
#pragma once

#include "settings/values.hpp"

#include <string>
#include <vector>

namespace sgmcmc::cli {

/// `words` are the arguments after the command. Reads the file of --config too. Throws UsageError.
OptionValues parse_arguments(Command command, const std::vector<std::string>& words);

}  // namespace sgmcmc::cli
