// What tuning tried and chose, for run.json.
#pragma once

#include <sgmcmc/tuning.hpp>

#include <nlohmann/json.hpp>

namespace sgmcmc::cli {

nlohmann::ordered_json tuning_json(const TuningReport& report);

}  // namespace sgmcmc::cli
