// Rereads the model and data of a run, from the files that its record names.
#pragma once

#include "service/page/reported_run.hpp"
#include "service/page/run_model.hpp"

#include <filesystem>

namespace sgmcmc {

/// Throws Error if the files are missing or have changed, or if the data are too large to read for a page.
RunModel model_of_run(const ReportedRun& run, const std::filesystem::path& folder, int threads);

}  // namespace sgmcmc
