// Syntax trees as s-expressions, so that tests can state the expected tree in one line.
#pragma once

#include "stan/syntax/tree.hpp"

#include <string>
#include <vector>

namespace sgmcmc::stan::testing {

std::string print(const Tree& tree);                                 ///< "(+ a (* b 2))"
std::string print(const Statement& statement);                       ///< "(= x (+ x 1))"
std::string print(const std::vector<StatementPointer>& statements);  ///< separated by blanks
std::string print(const Function& function);

}  // namespace sgmcmc::stan::testing
