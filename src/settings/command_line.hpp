// Formats command lines of the program for users to copy.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace sgmcmc {

/// Quotes a word for the shell if needed.
std::string shell_word(const std::string& text);

/// The command that made a record, without options at their defaults.
std::string command_line_of(const nlohmann::ordered_json& record);

/// The command that repeats a run from the run.json in its folder.
std::string repeating_command(const std::string& command, const std::string& folder);

/// The value of an option in a record, as written on the command line; empty if it is null or has several values.
std::string option_text(const nlohmann::ordered_json& value);

}  // namespace sgmcmc
