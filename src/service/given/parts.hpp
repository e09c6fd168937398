// The posterior that a run samples: given all rows, or given the part that its settings select.
#pragma once

#include <sgmcmc/run.hpp>

#include <string>
#include <vector>

namespace sgmcmc {

/// Applies setting `subposterior`; returns the same posterior if it is not set. warnings: receives possible problems.
/// Throws SettingError with the reason if the rows cannot be divided into parts.
StanPosterior posterior_for(const StanPosterior& given, const RunSettings& settings, std::vector<RunWarning>& warnings);
Model posterior_for(const Model& given, const RunSettings& settings, std::vector<RunWarning>& warnings);

}  // namespace sgmcmc
