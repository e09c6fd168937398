// What tuning tried and chose, and the verdict, for run.json.
#pragma once

#include <sgmcmc/bias.hpp>
#include <sgmcmc/tuning.hpp>

#include <nlohmann/json.hpp>

namespace sgmcmc {

nlohmann::ordered_json tuning_json(const TuningReport& report);
nlohmann::ordered_json verdict_json(const Verdict& verdict);

}  // namespace sgmcmc
