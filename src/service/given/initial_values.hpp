// Reads positions from JSON files: initial values, and points at which to evaluate a density.
#pragma once

#include <sgmcmc/model.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace sgmcmc {

/// Reads constrained values by parameter. Throws DataError, also if they do not match the model.
std::map<std::string, std::vector<double>> read_initial(const std::string& path, const Model& model);
/// Reads the lists of numbers under the key "unconstrained". Throws DataError.
std::vector<std::vector<double>> read_points(const std::string& path, std::size_t dimension);

}  // namespace sgmcmc
