// The verdict at the end of a run: whether to trust its draws, in a line or two.
#pragma once

#include "cli/option_values.hpp"

#include <sgmcmc/bias.hpp>
#include <sgmcmc/diagnose.hpp>
#include <sgmcmc/sample.hpp>

#include <nlohmann/json.hpp>

#include <optional>
#include <string>

namespace sgmcmc::cli {

/// What a run knows of itself beside its draws.
struct RunFacts {
  const SampleOptions* options = nullptr;
  const SampleResult* result = nullptr;
  const SamplerReport* sampler = nullptr;
  std::uint64_t gradients_per_iteration = 1;
};

/// As --diagnose asks: nothing for none. Gradients at the draws cost about a tenth of the run at most, unless it is
/// full. What cannot be judged gets a verdict that says why.
std::optional<Verdict> judge_run(const OptionValues& values, const Model& model, const MemoryDraws& draws,
                                 const RunFacts& facts);

nlohmann::ordered_json verdict_json(const Verdict& verdict);
/// One paragraph: the verdict, then why and what to do. folder: of the run; empty: none.
std::string verdict_text(const Verdict& verdict, const std::string& folder);
/// Of the process, as --exit-status asks: 0, or 3 for "do not trust" and 4 for "cannot tell".
int exit_status(const OptionValues& values, const std::optional<Verdict>& verdict);

}  // namespace sgmcmc::cli
