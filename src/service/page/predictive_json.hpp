// Posterior predictive checks: data simulated from the model at draws of its parameters, beside the observed data.
#pragma once

#include "service/page/reported_run.hpp"
#include "service/page/run_model.hpp"

#include <nlohmann/json.hpp>

namespace sgmcmc {

/// {"replications": 200, "outcomes": [{"name", "elements", "shown", "bins", "groups", "statistics"}, ...]}; null if the
/// model generates no data. Throws Error if the model cannot be simulated, or the draws lack parameters.
nlohmann::ordered_json predictive_json(const ReportedRun& run, const RunModel& model, int threads);

}  // namespace sgmcmc
