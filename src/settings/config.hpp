// Configuration files: the options of a run from TOML, from JSON, or from the record of another run.
#pragma once

#include "settings/values.hpp"

#include <string>

namespace sgmcmc {

/// Reads options from a configuration file: TOML of key = value lines, JSON, or the run.json of a previous run. Ignores
/// options of other commands, so that one file serves all commands. Throws UsageError with file and line.
OptionValues read_config(Command command, const std::string& path);
OptionValues read_config_text(Command command, const std::string& path, const std::string& text);

}  // namespace sgmcmc
