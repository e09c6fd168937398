// A run of `optimize`: from options and a posterior to the mode and output files.
#pragma once

#include "service/optimum.hpp"
#include "service/record/run_folder.hpp"
#include "settings/values.hpp"

#include <nlohmann/json.hpp>

namespace sgmcmc {

struct OptimizeRun {
  Optimum optimum;
  /// Values by variable, as nested lists; null if non-finite.
  nlohmann::ordered_json parameters, outputs;
};

/// Finds the mode. If there is a folder, writes the record and mode.json, which option `initial` can read. Throws
/// UsageError if the options do not suit the model.
OptimizeRun run_optimize(const OptionValues& values, const StanPosterior& posterior, RunFolder& folder);

}  // namespace sgmcmc
