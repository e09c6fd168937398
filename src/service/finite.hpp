// What stands in a file for a number that there is none of: files hold no nan.
#pragma once

#include "base/text.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <string>

namespace sgmcmc {

/// null in JSON.
inline nlohmann::ordered_json number_or_null(double x) {
  return std::isfinite(x) ? nlohmann::ordered_json(x) : nlohmann::ordered_json();
}

/// An empty field in CSV.
inline std::string number_or_nothing(double x) { return std::isfinite(x) ? formatted("%.8g", x) : std::string(); }

}  // namespace sgmcmc
