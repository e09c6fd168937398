// Converts data from files to the variables a program declares: infers sizes, checks shapes and constraints.
#pragma once

#include "data/variables.hpp"
#include "stan/lowering/interpreter.hpp"

#include <set>
#include <string>

namespace sgmcmc::stan {

/// By which sums, symmetric elements and unit lengths may be off, as in Stan.
inline constexpr double constraint_tolerance = 1e-8;

/// Defines every variable of the data block. Infers missing integer sizes from the arrays declared with them;
/// `may_lack`: other variables that may be missing, and are then NaN. Throws DataError naming the variable, its
/// declaration and what was found.
void bind_data(Interpreter& interpreter, const Program& program, const Source& source, const DataVariables& data,
               const std::set<std::string>& may_lack = {});

/// Checks sizes, bounds and constraints of a value against its declaration; messages begin with `what`: "data: variable
/// 'y' (a.json)".
void check_declared(Interpreter& interpreter, const Declaration& declaration, const Source& source, const Value& value,
                    const std::string& what);

}  // namespace sgmcmc::stan
