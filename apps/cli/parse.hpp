// From the words of a command line, and the configuration file they name, to option values.
#pragma once

#include "cli/option_values.hpp"

#include <string>
#include <vector>

namespace sgmcmc::cli {

/// `words` follow the name of the command. Reads the file of --config too. Throws UsageError.
OptionValues parse_arguments(Command command, const std::vector<std::string>& words);

/// The options in a configuration file: TOML of key = value lines, or JSON, or the run.json of a previous run. Options
/// of other commands are left out, so that one file serves them all. Throws UsageError with file and line.
OptionValues read_config(Command command, const std::string& path);
OptionValues read_config_text(Command command, const std::string& path, const std::string& text);

}  // namespace sgmcmc::cli
