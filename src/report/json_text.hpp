// JSON as text, whatever bytes its strings hold: names of files need not be UTF-8.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace sgmcmc {

/// indent: spaces a level; -1: all on one line. Bytes that are not UTF-8 are replaced.
inline std::string json_text(const nlohmann::ordered_json& value, int indent = -1) {
  return value.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace sgmcmc
