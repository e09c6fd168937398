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
/// As `diagnose` prints it. columns: names of the draws.
nlohmann::ordered_json diagnosis_json(const BiasReport& report, const std::vector<std::string>& columns);
/// As a run folder keeps it: of very many coordinates the worst.
nlohmann::ordered_json saved_diagnosis_json(BiasReport report, const std::vector<std::string>& columns);
nlohmann::ordered_json reductions_json(const std::vector<StepReduction>& reductions);

/// As option step-size reads it, to the last digit.
std::string step_text(const SampleOptions& options);
/// Warm-up iterations of the chain that had most.
std::uint64_t most_warmup(const SampleResult& result);

}  // namespace sgmcmc
