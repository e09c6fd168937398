// Converts option values of sgmcmc factorize to the option structs of the library.
#pragma once

#include "settings/values.hpp"

#include <sgmcmc/factorize.hpp>

namespace sgmcmc {

RatingsOptions ratings_options(const OptionValues& values);
FactorOptions factor_options(const OptionValues& values);

}  // namespace sgmcmc
