// Converts JSON to text, even if its strings are not valid UTF-8, which file names need not be.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace sgmcmc {

/// indent: spaces per level; -1: all on one line. Replaces invalid UTF-8.
inline std::string json_text(const nlohmann::ordered_json& value, int indent = -1) {
  return value.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace sgmcmc
