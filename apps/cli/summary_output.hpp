// Printing the summary of draws, with a word on what it shows.
#pragma once

#include "cli/option_values.hpp"

#include <sgmcmc/diagnose.hpp>
#include <sgmcmc/draws.hpp>

#include <string>
#include <vector>

namespace sgmcmc::cli {

/// Which of these names --only asks for, by themselves or as elements of a variable; all when nothing is asked for.
/// Throws UsageError for a name that is not among them.
std::vector<bool> chosen_names(const OptionValues& values, const std::vector<std::string>& names);

/// A table, or JSON with --json; only the variables of --only where there are any. Then what the statistics of an exact
/// sampler warn of.
void print_summary(const OptionValues& values, const MemoryDraws& draws, const SamplerReport& sampler = {});

}  // namespace sgmcmc::cli
