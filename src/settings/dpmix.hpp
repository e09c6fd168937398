// The options of sgmcmc dpmix, and from their values to the option struct of the library.
#pragma once

#include "settings/values.hpp"

#include <sgmcmc/dpmix.hpp>

#include <cstdint>
#include <vector>

namespace sgmcmc {

/// Besides those that say how documents are read, which are lda's too.
std::vector<OptionDeclaration> dpmix_option_declarations();

DpmixOptions dpmix_options(const OptionValues& values, std::uint64_t documents);

}  // namespace sgmcmc
