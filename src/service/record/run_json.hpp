// What a run reports about itself, as run.json writes it.
#pragma once

#include <sgmcmc/bias.hpp>
#include <sgmcmc/sample.hpp>
#include <sgmcmc/tuning.hpp>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace sgmcmc {

nlohmann::ordered_json tuning_json(const TuningReport& report);
nlohmann::ordered_json verdict_json(const Verdict& verdict);
nlohmann::ordered_json reductions_json(const std::vector<StepReduction>& reductions);

/// As option step-size reads it, to the last digit.
std::string step_text(const SampleOptions& options);
/// Warm-up iterations of the chain that had most.
std::uint64_t most_warmup(const SampleResult& result);

}  // namespace sgmcmc
