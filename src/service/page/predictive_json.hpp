// Posterior predictive checks: data that the model draws given draws of its parameters, beside those observed.
#pragma once

#include "service/page/reported_run.hpp"
#include "service/page/run_model.hpp"

#include <nlohmann/json.hpp>

namespace sgmcmc {

/// {"replications": 200, "outcomes": [{"name", "elements", "shown", "bins", "groups", "statistics"}, ...]}; null: the
/// model draws no data. Throws Error where it cannot be run forwards, or parameters are missing among the draws.
nlohmann::ordered_json predictive_json(const ReportedRun& run, const RunModel& model, int threads);

}  // namespace sgmcmc
