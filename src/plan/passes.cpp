// Rewriting passes: walk the graph operands first, rebuild what changes, share what does not.
#include "plan/passes.hpp"

#include "graph/build.hpp"
#include "graph/differentiate.hpp"
#include "graph/node.hpp"
#include "plan/evaluate.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <unordered_map>

namespace sgmcmc {
namespace {

using Rewritten = std::unordered_map<const Node*, Expression>;

/// Rebuilds every node with rewritten operands, then lets `rule` replace it.
template <class Rule>
std::vector<Expression> rewrite(const std::vector<Expression>& outputs, Rule rule) {
  Rewritten done;
  for (const auto& x : topological_order(outputs)) {
    const Node& node = x.node();
    bool changed = false;
    std::vector<Expression> inputs;
    inputs.reserve(node.inputs.size());
    for (const auto& input : node.inputs) {
      inputs.push_back(done[&input.node()]);
      changed = changed || inputs.back().pointer() != input.pointer();
    }
    Expression current = x;
    if (changed) {
      current = build::node(node.op, std::move(inputs), node.shape, node.attributes);
      const_cast<Node&>(current.node()).type = node.type;
    }
    done[&node] = rule(current);
  }
  std::vector<Expression> result;
  for (const auto& output : outputs) result.push_back(done[&output.node()]);
  return result;
}

template <class T>
void append_bytes(std::string& key, const T& value) {
  key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// Everything that makes two nodes equal, as bytes. Operands are compared by identity.
std::string identity_of(const Node& node) {
  std::string key;
  append_bytes(key, node.op);
  append_bytes(key, node.type);
  for (const auto& input : node.inputs) append_bytes(key, &input.node());
  for (auto dim : node.shape.dims()) append_bytes(key, dim);
  const Attributes& a = node.attributes;
  append_bytes(key, a.point);
  append_bytes(key, a.offset);
  append_bytes(key, a.axis.outer);
  append_bytes(key, a.axis.length);
  append_bytes(key, a.axis.inner);
  key += static_cast<char>(a.transpose_a + 2 * a.transpose_b + 4 * a.reverse);
  if (a.values) key.append(reinterpret_cast<const char*>(a.values->data()), a.values->size() * sizeof(double));
  if (a.positions)
    key.append(reinterpret_cast<const char*>(a.positions->data()), a.positions->size() * sizeof(std::int64_t));
  if (node.inputs.empty() && node.op != Op::parameter) key += a.name;
  return key;
}

}  // namespace

std::vector<Expression> fold_constants(const std::vector<Expression>& outputs) {
  return rewrite(outputs, [](const Expression& x) {
    const Node& node = x.node();
    if (node.inputs.empty() || node.per_row || is_row_sum(node.op)) return x;
    for (const auto& input : node.inputs)
      if (input.node().op != Op::constant) return x;
    return constant(evaluate_on_constants(node), node.shape);
  });
}

std::vector<Expression> share_common_subexpressions(const std::vector<Expression>& outputs) {
  std::unordered_map<std::string, Expression> known;
  return rewrite(outputs,
                 [&known](const Expression& x) { return known.emplace(identity_of(x.node()), x).first->second; });
}

std::vector<Expression> invert_global_divisors(const std::vector<Expression>& outputs) {
  return rewrite(outputs, [](const Expression& x) {
    const Node& node = x.node();
    if (node.op != Op::divide) return x;
    const Expression& divisor = node.inputs[1];
    const bool over_rows = node.per_row && !divisor.per_row();
    const bool over_elements = divisor.shape().is_scalar() && !node.shape.is_scalar();
    return over_rows || over_elements ? node.inputs[0] * reciprocal(divisor) : x;
  });
}

}  // namespace sgmcmc
