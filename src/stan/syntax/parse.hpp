// From text to syntax tree.
#pragma once

#include "stan/syntax/tree.hpp"

namespace sgmcmc::stan {

/// Throws StanError at the first mistake, with what was expected and a suggestion where one can be given.
Program parse(const Source& source);

}  // namespace sgmcmc::stan
