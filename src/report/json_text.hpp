// JSON to text and back, compiled once: a file that instantiates the parser or writer of the JSON library takes a
// second longer.
#pragma once

#include <nlohmann/json.hpp>

#include <istream>
#include <string>

namespace sgmcmc {

/// indent: spaces per level; -1: all on one line. Replaces invalid UTF-8, which file names may be.
std::string json_text(const nlohmann::ordered_json& value, int indent = -1);
/// The same with \u escapes instead of all letters beyond ASCII.
std::string ascii_json_text(const nlohmann::ordered_json& value);

nlohmann::ordered_json parsed_json(const std::string& text);  ///< throws nlohmann::json::parse_error
/// Discarded, and so no object, if that is not JSON.
nlohmann::ordered_json json_if_valid(const std::string& text);
nlohmann::ordered_json json_if_valid(std::istream& file);

}  // namespace sgmcmc
