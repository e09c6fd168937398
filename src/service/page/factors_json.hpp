// A matrix factorisation for its report page: scores, sizes, and the trace of the run.
#pragma once

#include "service/page/reported_run.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>

namespace sgmcmc {

/// {"rmse", "log_predictive", "coverage", "interval", "users", "items", "factors", "draws", "course"}; null for values
/// missing from the folder. Throws FileError if it has no factors.
nlohmann::ordered_json factors_json(const ReportedRun& run, const std::filesystem::path& folder);

}  // namespace sgmcmc
