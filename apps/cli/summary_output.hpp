// Printing the summary of draws, with a word on what it shows.
#pragma once

#include "cli/option_values.hpp"

#include <sgmcmc/diagnose.hpp>
#include <sgmcmc/draws.hpp>
#include <sgmcmc/zero_variance.hpp>

#include <nlohmann/json.hpp>

#include <span>

namespace sgmcmc::cli {

/// A table, or JSON with --json; only the variables of --only where there are any. seconds: how long the draws took,
/// NaN where that is not known. zero_variance: of the first variables, or nothing. Then what the statistics of an exact
/// sampler warn of. about: members that JSON has beside these, such as the verdict.
void print_summary(const OptionValues& values, const MemoryDraws& draws, double seconds,
                   const SamplerReport& sampler = {}, std::span<const ZeroVarianceEstimate> zero_variance = {},
                   const nlohmann::ordered_json& about = {});

}  // namespace sgmcmc::cli
