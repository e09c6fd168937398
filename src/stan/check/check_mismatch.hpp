// Advice on converting a value of one type to another.
#pragma once

#include "stan/builtins/type.hpp"

#include <string>

namespace sgmcmc::stan {

/// What to write to convert the type found to the one expected; `text` is the text of the value. Empty: no advice.
std::string conversion_help(const Type& found, const Type& expected, const std::string& text);

}  // namespace sgmcmc::stan
