// Positions from JSON files: initial values, and points at which a density is evaluated.
#pragma once

#include <sgmcmc/model.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace sgmcmc {

/// Constrained values by parameter from a JSON file. Throws DataError, also where they do not fit.
std::map<std::string, std::vector<double>> read_initial(const std::string& path, const Model& model);
/// A JSON file of lists of numbers under the key "unconstrained". Throws DataError.
std::vector<std::vector<double>> read_points(const std::string& path, std::size_t dimension);

}  // namespace sgmcmc
