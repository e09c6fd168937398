// Orders the statements of a model to be run forwards: variables are drawn before they are used.
#pragma once

#include "stan/syntax/tree.hpp"

#include <set>
#include <string>
#include <vector>

namespace sgmcmc::stan {

/// The variable or elements that `left ~ ...` draws, if left is a variable or a rearrangement of one: to_vector(x) and
/// similar, x', segment(x, i, n), head(x, n), tail(x, n). Null for other expressions.
const Tree* drawn_part(const Tree& left);
/// The name of that variable; null if there is none.
const Name* drawn_name(const Tree& left);

/// Names in an expression.
void collect_names(const Tree& tree, std::set<std::string>& names);

/// Reads and writes of a statement and all statements inside it, without variables declared inside.
struct Uses {
  std::set<std::string> reads;
  std::set<std::string> draws;   ///< left of ~
  std::set<std::string> writes;  ///< declared or assigned
  bool leaves = false;           ///< ends the loop or function around
};
Uses uses_of(const Statement& statement);

/// Orders the statements of a block, and of nested blocks, so that variables are drawn before they are read, if
/// possible. Keeps the order of the text for assigned variables, and for statements that depend on each other, as in
/// time series.
void order_forwards(std::vector<StatementPointer>& statements);

/// Calls visit(statement) for a statement and for all inside it.
template <class Visit>
void for_each_statement(const Statement& statement, const Visit& visit) {
  visit(statement);
  const auto into = [&](const StatementPointer& inner) {
    if (inner) for_each_statement(*inner, visit);
  };
  const auto into_all = [&](const std::vector<StatementPointer>& inner) {
    for (const auto& each : inner) into(each);
  };
  if (const auto* branch = std::get_if<If>(&statement.form)) {
    into(branch->then);
    into(branch->otherwise);
  } else if (const auto* loop = std::get_if<While>(&statement.form)) {
    into(loop->body);
  } else if (const auto* counted = std::get_if<For>(&statement.form)) {
    into(counted->body);
  } else if (const auto* each = std::get_if<ForEach>(&statement.form)) {
    into(each->body);
  } else if (const auto* block = std::get_if<Block>(&statement.form)) {
    into_all(block->statements);
  } else if (const auto* profile = std::get_if<Profile>(&statement.form)) {
    into_all(profile->body.statements);
  }
}

}  // namespace sgmcmc::stan
