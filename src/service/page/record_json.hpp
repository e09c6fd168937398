// The record of a run for its page: facts, tuning, model, options, times and the command that repeats it.
#pragma once

#include "service/page/reported_run.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace sgmcmc {

/// {"facts": [[label, text], ...], "options": [...], "tuning": ..., "times": [...], "model": [...], "command": ...};
/// parts that the record lacks are left out.
nlohmann::ordered_json record_json(const ReportedRun& run);

/// "nuts, 4 chains of 1000 draws": the run in one line.
std::string run_in_short(const ReportedRun& run);

}  // namespace sgmcmc
