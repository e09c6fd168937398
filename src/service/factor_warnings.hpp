// Warnings about a factorisation, for all front ends.
#pragma once

#include "settings/values.hpp"

#include <sgmcmc/factorize.hpp>

#include <string>
#include <vector>

namespace sgmcmc {

/// One sentence or several each, the most serious first. values: options of the call, as messages write them.
std::vector<std::string> factor_warnings(const OptionValues& values, const FactorOptions& options,
                                         const FactorResult& result);

}  // namespace sgmcmc
