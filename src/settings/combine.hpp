// Options of sgmcmc combine, read into those of the library.
#pragma once

#include "settings/values.hpp"

#include <sgmcmc/combine.hpp>

namespace sgmcmc {

/// Throws UsageError.
CombineOptions combine_options(const OptionValues& values);

}  // namespace sgmcmc
