// From text to syntax tree.
#pragma once

#include "stan/syntax/tree.hpp"

namespace sgmcmc::stan {

/// Throws StanError at the first error, with what was expected and, if possible, a suggestion.
Program parse(const Source& source);

}  // namespace sgmcmc::stan
