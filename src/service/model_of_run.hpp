// Reading the model and the data of a run again, from the files that its record names.
#pragma once

#include "service/page/reported_run.hpp"
#include "service/page/run_model.hpp"

#include <filesystem>

namespace sgmcmc {

/// Throws Error where they are not there any more, have changed, or the data are too large to be read for a page.
RunModel model_of_run(const ReportedRun& run, const std::filesystem::path& folder, int threads);

}  // namespace sgmcmc
