// Expressions as bytes, for another process that compiles the same program.
#pragma once

#include <sgmcmc/expression.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace sgmcmc {

/// Nodes that several expressions share are written once, and are shared again when they are read.
std::string bytes_of_expressions(const std::vector<Expression>& expressions);
/// Throws RankError if the bytes are not expressions.
std::vector<Expression> expressions_of_bytes(std::string_view bytes);

}  // namespace sgmcmc
