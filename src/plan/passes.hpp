// The passes over the graph that come before scheduling; each returns outputs that mean the same.
#pragma once

#include <sgmcmc/expression.hpp>

#include <vector>

namespace sgmcmc {

/// Replaces what depends on constants only by its value.
std::vector<Expression> fold_constants(const std::vector<Expression>& outputs);
/// Makes equal nodes one node.
std::vector<Expression> share_common_subexpressions(const std::vector<Expression>& outputs);
/// Divides many values by one (rows by a global value, an array by a scalar) through its reciprocal, computed once.
std::vector<Expression> invert_global_divisors(const std::vector<Expression>& outputs);

}  // namespace sgmcmc
