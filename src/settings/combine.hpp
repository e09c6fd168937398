// Converts option values of sgmcmc combine to the option struct of the library.
#pragma once

#include "settings/values.hpp"

#include <sgmcmc/combine.hpp>

namespace sgmcmc {

/// Throws UsageError.
CombineOptions combine_options(const OptionValues& values);

}  // namespace sgmcmc
