// A run of `optimize`, from its options and a posterior to the mode and the files of its folder.
#pragma once

#include "service/optimum.hpp"
#include "service/record/run_folder.hpp"
#include "settings/values.hpp"

#include <nlohmann/json.hpp>

namespace sgmcmc {

struct OptimizeRun {
  Optimum optimum;
  /// Values by variable, in nested lists; null where they are not finite.
  nlohmann::ordered_json parameters, outputs;
};

/// Finds the mode; where there is a folder, writes it to mode.json, which option `initial` reads, and the record.
/// Throws UsageError where options and model do not fit.
OptimizeRun run_optimize(const OptionValues& values, const StanPosterior& posterior, RunFolder& folder);

}  // namespace sgmcmc
