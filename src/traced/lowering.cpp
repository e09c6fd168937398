// Walks a traced graph operands first and applies the rule of each operation.
#include "traced/lowering.hpp"

#include "base/text.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <unordered_map>

namespace sgmcmc::traced {
namespace {

const std::unordered_map<std::string_view, Rule>& all_rules() {
  static const auto rules = [] {
    std::unordered_map<std::string_view, Rule> all;
    for (const auto* some : {&elementwise_rules, &arranging_rules, &reduction_rules, &product_rules})
      for (const auto& one : *some) all.emplace(one.op, one.rule);
    return all;
  }();
  return rules;
}

}  // namespace

const Value& Lowering::value(std::size_t wanted) {
  // An explicit stack, because graphs may be deeper than the call stack.
  std::vector<std::size_t> pending{wanted};
  while (!pending.empty()) {
    const std::size_t next = pending.back();
    const std::size_t before = pending.size();
    if (!values_.contains(next)) {
      for (const std::size_t input : graph_.nodes.at(next).inputs)
        if (!values_.contains(input)) pending.push_back(input);
      if (pending.size() > before) continue;
      values_.emplace(next, lowered(graph_.nodes[next]));
    }
    pending.pop_back();
  }
  return values_.at(wanted);
}

Value Lowering::lowered(const TracedNode& node) {
  if (node.op == "constant") return Value::of_all(constant(node.values, node.shape));
  if (node.op == "parameter") {
    const auto known = leaves_.parameters.find(node.name);
    if (known == leaves_.parameters.end())
      refuse(node.call, "'" + node.name + "' is a variable, but no parameter of this model");
    return Value::of_all(known->second);
  }
  if (node.op == "placeholder") {
    const auto known = leaves_.columns.find(node.name);
    if (known == leaves_.columns.end())
      refuse(node.call, "'" + node.name + "' is a placeholder that is not part of the dataset");
    return known->second;
  }
  const auto rule = all_rules().find(node.op);
  if (rule == all_rules().end()) refuse(node.call, "the operation '" + node.op + "' has no density of one row");
  Operands operands;
  for (const std::size_t input : node.inputs) operands.push_back(values_.at(input));
  try {
    return rule->second(*this, node, operands);
  } catch (const ShapeError& error) {  // the original message names internal operands, not the user's
    refuse(node.call, error.what());
  }
}

void Lowering::warn(const TracedNode& node, const std::string& text) {
  const std::string whole = node.call.empty() ? text : node.call + ": " + text;
  if (std::find(warnings_.begin(), warnings_.end(), whole) == warnings_.end()) warnings_.push_back(whole);
}

}  // namespace sgmcmc::traced
