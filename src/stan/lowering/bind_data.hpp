// Data as read from files, made the values a program declares: sizes filled in, shapes and constraints checked.
#pragma once

#include "data/variables.hpp"
#include "stan/lowering/interpreter.hpp"

#include <set>
#include <string>

namespace sgmcmc::stan {

/// Defines every variable of the data block. Integer sizes that no file has are taken from the arrays declared with
/// them; `may_lack`: what else may be missing, and is then NaN. Throws DataError naming the variable, what is declared
/// and what was found.
void bind_data(Interpreter& interpreter, const Program& program, const Source& source, const DataVariables& data,
               const std::set<std::string>& may_lack = {});

/// Sizes, bounds and kinds of a value against its declaration; `what` begins the message: "data: variable 'y'
/// (a.json)".
void check_declared(Interpreter& interpreter, const Declaration& declaration, const Source& source, const Value& value,
                    const std::string& what);

}  // namespace sgmcmc::stan
