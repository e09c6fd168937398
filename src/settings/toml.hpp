// Reads the subset of TOML that configuration files need: key = value lines with strings, numbers, booleans, arrays and
// inline tables.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <map>
#include <string>

namespace sgmcmc {

/// Returns an object with the keys; lines[key] is the line of each. Throws UsageError with file, line and column.
nlohmann::ordered_json read_toml(const std::string& path, const std::string& text, std::map<std::string, int>& lines);

/// "PATH:3:7: not JSON: ...", from the 1-based byte where the JSON parser stopped and its message.
std::string json_mistake(const std::string& path, const std::string& text, std::size_t byte, const std::string& what);

}  // namespace sgmcmc
