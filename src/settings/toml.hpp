// The part of TOML that configuration files need: key = value lines of strings, numbers, booleans, arrays and tables
// written in one line.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <map>
#include <string>

namespace sgmcmc {

/// An object of the keys; lines[key] is where it stands. Throws UsageError with file, line and column.
nlohmann::ordered_json read_toml(const std::string& path, const std::string& text, std::map<std::string, int>& lines);

/// "PATH:3:7: not JSON: ..." from where a reader of JSON stopped (bytes from 1) and what it says.
std::string json_mistake(const std::string& path, const std::string& text, std::size_t byte, const std::string& what);

}  // namespace sgmcmc
