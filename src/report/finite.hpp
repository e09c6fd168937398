// How non-finite numbers are written to files: JSON and CSV have no word for them.
#pragma once

#include <nlohmann/json.hpp>

#include <cmath>
#include <string>

namespace sgmcmc {

/// null in JSON.
inline nlohmann::ordered_json number_or_null(double x) {
  return std::isfinite(x) ? nlohmann::ordered_json(x) : nlohmann::ordered_json();
}

/// Eight digits, or an empty field, in CSV.
std::string number_or_nothing(double x);

}  // namespace sgmcmc
