// Converts option values of sgmcmc dpmix to the option struct of the library.
#pragma once

#include "settings/values.hpp"

#include <sgmcmc/dpmix.hpp>

#include <cstdint>

namespace sgmcmc {

DpmixOptions dpmix_options(const OptionValues& values, std::uint64_t documents);

}  // namespace sgmcmc
