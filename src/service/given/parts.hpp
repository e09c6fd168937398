// The posterior that a run samples: of all rows, or of the part that its settings name.
#pragma once

#include <sgmcmc/run.hpp>

#include <string>
#include <vector>

namespace sgmcmc {

/// Of the settings `subposterior`; the same posterior where that is not set. warnings: what may go wrong. Throws
/// SettingError where rows cannot be dealt into parts, with the reason.
StanPosterior posterior_for(const StanPosterior& given, const RunSettings& settings, std::vector<RunWarning>& warnings);
Model posterior_for(const Model& given, const RunSettings& settings, std::vector<RunWarning>& warnings);

}  // namespace sgmcmc
