// Evaluates one op on constants, for constant folding.
#pragma once

#include "graph/node.hpp"

#include <vector>

namespace sgmcmc {

/// All operands must be constants and the op global.
std::vector<double> evaluate_on_constants(const Node& node);

}  // namespace sgmcmc
