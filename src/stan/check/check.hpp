// Static checks before anything runs: types, names in scope, and restrictions of blocks.
#pragma once

#include "stan/syntax/tree.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sgmcmc::stan {

/// A warning, shown by `check` and before a run.
struct Warning {
  Span span;
  std::string message;
  std::string help;
};

/// "model.stan:12:5: warning: MESSAGE" and so on, formatted like an error.
std::string render(const Source& source, const Warning& warning);

/// Fills in the types of all expressions (Tree::type, Tree::data_only). Throws StanError at the first error. Warns only
/// once per place (as for a size that two variables share); warnings are in the order of the text.
std::vector<Warning> check(Program& program, const Source& source);

/// Whether a value of one type can be used where the other is expected: the same type, or ints for reals.
bool promotes(const Type& from, const Type& to);

/// "normal_lpdf" for "normal_lupdf" (and "_lpmf" for "_lupmf"): the name under which a density is defined.
std::string defined_name(std::string_view function);

/// The user-defined function that a call resolves to: the one of this name (after defined_name) that needs the fewest
/// promotions, its definition rather than a forward declaration. Null if none matches: then the call is to a built-in.
const Function* find_function(const Program& program, std::string_view name, std::span<const Type> arguments);

/// The user-defined density that `y ~ distribution(...)` resolves to; the types are those of y, then of the arguments.
/// Null if none matches: then it is a built-in.
const Function* find_density(const Program& program, std::string_view distribution, std::span<const Type> arguments);

}  // namespace sgmcmc::stan
