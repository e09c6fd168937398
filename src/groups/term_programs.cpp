// Cuts the graph where the local parameters enter.
#include "groups/term_programs.hpp"

#include "graph/build.hpp"
#include "graph/differentiate.hpp"
#include "graph/leaves.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace sgmcmc {
namespace {

std::shared_ptr<const Program> compiled(const std::vector<Expression>& outputs) {
  return std::make_shared<const Program>(compile_program(outputs, {}));
}

bool is_row_data(Op op) { return op == Op::row_real || op == Op::row_integer || op == Op::constant; }

}  // namespace

std::vector<Expression> leaves_read(const Expression& x, const std::vector<Expression>& all,
                                    std::vector<std::int64_t>& places) {
  std::vector<Expression> found;
  std::unordered_set<const Node*> read;
  for (const auto& each : topological_order({x})) read.insert(&each.node());
  for (const auto& leaf : all) {
    if (!read.contains(&leaf.node())) continue;
    found.push_back(leaf);
    for (std::int64_t i = 0; i < leaf.shape().size(); ++i) places.push_back(leaf.node().attributes.offset + i);
  }
  return found;
}

TermPrograms compile_term(const Expression& term, const GroupModel& groups) {
  TermPrograms made;
  DifferentiateOptions by_row;
  by_row.per_row = true;

  // Which nodes depend on u, and on phi.
  std::unordered_set<const Node*> on_locals, on_globals;
  for (const auto& leaf : groups.local_leaves) on_locals.insert(&leaf.node());
  const auto order = topological_order({term});
  for (const auto& x : order) {
    const Node& node = x.node();
    if (node.op == Op::parameter) on_globals.insert(&node);
    for (const auto& input : node.inputs) {
      if (on_locals.contains(&input.node())) on_locals.insert(&node);
      if (on_globals.contains(&input.node())) on_globals.insert(&node);
    }
  }
  // Maximal parts that do not depend on u.
  std::vector<Expression> cut;
  std::unordered_set<const Node*> seen;
  const auto consider = [&](const Expression& x) {
    const Node& node = x.node();
    if (on_locals.contains(&node) || is_row_data(node.op) || !seen.insert(&node).second) return;
    if (x.per_row() || on_globals.contains(&node)) cut.push_back(x);
  };
  consider(term);
  for (const auto& x : order)
    if (on_locals.contains(&x.node()))
      for (const auto& input : x.node().inputs) consider(input);

  std::unordered_map<const Node*, Expression> replaced;
  std::vector<Expression> column_values, shared_values, column_leaves, shared_leaves;
  Expression of_columns, of_shared;  // slopes times values, for the gradient in phi
  for (const auto& x : cut) {
    if (x.per_row()) {
      TermPrograms::Column column;
      const std::string number = std::to_string(made.columns.size() + 1);
      column.name = "(column " + number + ")";
      column.slope_name = "(slope " + number + ")";
      column.shape = x.shape();
      column.has_gradient = on_globals.contains(&x.node());
      const auto leaf = row_real(column.name, column.shape);
      replaced[&x.node()] = leaf;
      column_values.push_back(x);
      if (column.has_gradient) {
        column_leaves.push_back(leaf);
        const auto slope = row_real(column.slope_name, column.shape);
        const auto product = x.shape().is_scalar() ? slope * x : dot(slope, x);
        of_columns = of_columns ? of_columns + product : product;
        made.slopes += static_cast<std::size_t>(x.shape().size());
      }
      made.columns.push_back(std::move(column));
    } else {
      const auto leaf = parameter_leaf("(shared)", x.shape(), made.shared);
      const auto slope = parameter_leaf("(slope)", x.shape(), made.shared, Point::direction);
      made.shared += x.shape().size();
      replaced[&x.node()] = leaf;
      shared_values.push_back(x);
      shared_leaves.push_back(leaf);
      const auto product = sum(slope * x);
      of_shared = of_shared ? of_shared + product : product;
    }
  }
  made.slopes += static_cast<std::size_t>(made.shared);

  const Expression inner = with_replaced({term}, replaced).front();
  made.value = compiled({inner});
  std::vector<Expression> outputs = {inner};
  const auto in_locals = differentiate(inner, groups.local_leaves, by_row);
  outputs.insert(outputs.end(), in_locals.begin(), in_locals.end());
  made.quadratic = true;
  for (std::size_t k = 0; k < in_locals.size(); ++k) {
    const std::vector<Expression> up_to(groups.local_leaves.begin(),
                                        groups.local_leaves.begin() + static_cast<std::ptrdiff_t>(k + 1));
    const auto second = differentiate(in_locals[k], up_to, by_row);
    outputs.insert(outputs.end(), second.begin(), second.end());
    for (const auto& each : second)
      for (const auto& third : differentiate(each, groups.local_leaves, by_row))
        made.quadratic = made.quadratic && build::is_constant(third, 0.0);
  }
  made.derivatives = compiled(outputs);

  if (!column_values.empty()) made.column_values = compiled(column_values);
  if (!shared_values.empty()) made.shared_values = compiled(shared_values);
  if (made.slopes == 0) return made;
  std::vector<Expression> leaves = column_leaves;
  leaves.insert(leaves.end(), shared_leaves.begin(), shared_leaves.end());
  outputs = {inner};
  const auto slopes = differentiate(inner, leaves, by_row);
  outputs.insert(outputs.end(), slopes.begin(), slopes.end());
  made.value_and_slopes = compiled(outputs);

  Expression whole;
  if (of_columns) whole = row_sum(of_columns);
  if (of_shared) whole = whole ? whole + of_shared : of_shared;
  const auto read = leaves_read(whole, groups.global_leaves, made.places);
  made.gradient = compiled(differentiate(whole, read));
  if (of_columns) {
    const auto by_columns = leaves_read(of_columns, groups.global_leaves, made.row_places);
    made.row_gradients = compiled(differentiate(of_columns, by_columns, by_row));
  }
  if (of_shared) {
    const auto by_shared = leaves_read(of_shared, groups.global_leaves, made.shared_places);
    made.shared_gradient = compiled(differentiate(of_shared, by_shared));
  }
  return made;
}

}  // namespace sgmcmc
