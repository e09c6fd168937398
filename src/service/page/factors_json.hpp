// A matrix factorisation for its page: scores, sizes, and the course of the run.
#pragma once

#include "service/page/reported_run.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>

namespace sgmcmc {

/// {"rmse", "log_predictive", "coverage", "interval", "users", "items", "factors", "draws", "course"}; what the folder
/// lacks is null. Throws FileError where it has no factors.
nlohmann::ordered_json factors_json(const ReportedRun& run, const std::filesystem::path& folder);

}  // namespace sgmcmc
