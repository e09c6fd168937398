// The results of a run in the form that run.json uses.
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
/// The form that `diagnose` prints. columns: the names of the draws.
nlohmann::ordered_json diagnosis_json(const BiasReport& report, const std::vector<std::string>& columns);
/// The form that a run folder keeps: if there are very many coordinates, only the worst.
nlohmann::ordered_json saved_diagnosis_json(BiasReport report, const std::vector<std::string>& columns);
nlohmann::ordered_json reductions_json(const std::vector<StepReduction>& reductions);

/// The step size in the form that option step-size reads, with all digits.
std::string step_text(const SampleOptions& options);
/// The largest number of warm-up iterations of any chain.
std::uint64_t most_warmup(const SampleResult& result);

}  // namespace sgmcmc
