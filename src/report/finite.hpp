// How non-finite numbers are written to files: JSON and CSV cannot represent them.
#pragma once

#include <nlohmann/json.hpp>

#include <cmath>
#include <string>

namespace sgmcmc {

/// In JSON: null if non-finite.
inline nlohmann::ordered_json number_or_null(double x) {
  return std::isfinite(x) ? nlohmann::ordered_json(x) : nlohmann::ordered_json();
}

/// In CSV: eight digits, or an empty field if non-finite.
std::string number_or_nothing(double x);

}  // namespace sgmcmc
