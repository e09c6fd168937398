// Command lines of the program, written for people to copy.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace sgmcmc {

/// As one word of a shell's command line, in quotes where it needs them.
std::string shell_word(const std::string& text);

/// The command that made a record: options that are at their defaults are left out.
std::string command_line_of(const nlohmann::ordered_json& record);

/// The command that repeats a run with the options of the record in its folder.
std::string repeating_command(const std::string& command, const std::string& folder);

/// The value of an option in a record as the command line takes it; empty: null, or several values.
std::string option_text(const nlohmann::ordered_json& value);

}  // namespace sgmcmc
