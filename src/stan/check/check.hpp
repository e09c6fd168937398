// Types of every expression, names in scope, and what a block may do: found before anything runs.
#pragma once

#include "stan/syntax/tree.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sgmcmc::stan {

/// A remark that stops nothing: shown by `check` and before a run.
struct Warning {
  Span span;
  std::string message;
  std::string help;
};

/// "model.stan:12:5: warning: MESSAGE" and so on, laid out like an error.
std::string render(const Source& source, const Warning& warning);

/// Fills in the types of all expressions (Tree::type, Tree::data_only). Throws StanError at the first mistake. What a
/// program says more than once in the same place (a size of two variables) is remarked on once; warnings are in the
/// order of the text.
std::vector<Warning> check(Program& program, const Source& source);

/// Whether a value of one type may stand where the other is expected: the same type, or ints for reals.
bool promotes(const Type& from, const Type& to);

/// "normal_lpdf" for "normal_lupdf" (and "_lpmf" for "_lupmf"): the name under which a density is defined.
std::string defined_name(std::string_view function);

/// The user's function that a call means: of those with this name (after defined_name) the one that needs the fewest
/// promotions, its definition rather than a declaration ahead of it. Null when none fits: then the call is a
/// built-in's.
const Function* find_function(const Program& program, std::string_view name, std::span<const Type> arguments);

/// The user's density that `y ~ distribution(...)` means; the types are those of y and then of the arguments. Null when
/// none fits: then it is a built-in's.
const Function* find_density(const Program& program, std::string_view distribution, std::span<const Type> arguments);

}  // namespace sgmcmc::stan
