// How to turn a value of one type into one of another, in words.
#pragma once

#include "stan/builtins/type.hpp"

#include <string>

namespace sgmcmc::stan {

/// What to write to get from the type found to the one expected; text is the value's. Empty: no advice.
std::string conversion_help(const Type& found, const Type& expected, const std::string& text);

}  // namespace sgmcmc::stan
