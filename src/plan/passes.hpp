// The passes over the graph before scheduling; each returns equivalent outputs.
#pragma once

#include <sgmcmc/expression.hpp>

#include <vector>

namespace sgmcmc {

/// Replaces expressions of constants by their values.
std::vector<Expression> fold_constants(const std::vector<Expression>& outputs);
/// Merges equal nodes.
std::vector<Expression> share_common_subexpressions(const std::vector<Expression>& outputs);
/// Divides many values by one (rows by a global value, an array by a scalar) through its reciprocal, computed once.
std::vector<Expression> invert_global_divisors(const std::vector<Expression>& outputs);

}  // namespace sgmcmc
