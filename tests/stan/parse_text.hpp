// Parses short texts: puts an expression or statements into a program.
#pragma once

#include "stan/print_tree.hpp"
#include "stan/syntax/parse.hpp"

#include <string>

namespace sgmcmc::stan::testing {

inline Program parse_text(const std::string& text) { return parse(Source("model.stan", text)); }

/// The statements of a model block, as an s-expression.
inline std::string statements(const std::string& text) {
  return print(parse_text("model {\n" + text + "\n}").model.statements);
}

/// The expression to the right of `x = `, as an s-expression.
inline std::string expression(const std::string& text) {
  const Program program = parse_text("model { x = " + text + "; }");
  return print(*std::get<Assignment>(program.model.statements.at(0)->form).value);
}

}  // namespace sgmcmc::stan::testing
