// Replaces unstable forms of logistic, softmax and logarithms, operands first.
#include "graph/stable_forms.hpp"

#include "graph/build.hpp"
#include "graph/differentiate.hpp"
#include "graph/node.hpp"

#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace sgmcmc {
namespace {

bool is_op(const Expression& x, Op op) { return x.node().op == op; }

/// The operand beneath any number of reshapes.
const Expression& inside_reshapes(const Expression& x) {
  const Expression* inner = &x;
  while (is_op(*inner, Op::reshape)) inner = &inner->node().inputs[0];
  return *inner;
}

Expression shaped_like(const Expression& made, const Expression& x) {
  return made.shape() == x.shape() ? made : reshape(made, x.shape());
}

/// The x of 1 + exp(x); empty for other expressions.
Expression exponent_of_one_plus(const Expression& sum) {
  if (!is_op(sum, Op::add)) return {};
  const auto& inputs = sum.node().inputs;
  for (int k = 0; k < 2; ++k) {
    const Expression& other = inside_reshapes(inputs[static_cast<std::size_t>(1 - k)]);
    if (build::is_constant(inputs[static_cast<std::size_t>(k)], 1.0) && is_op(other, Op::exp) &&
        other.shape().size() == sum.shape().size())
      return shaped_like(other.node().inputs[0], sum);
  }
  return {};
}

/// A stable form of the logarithm of this argument; empty if there is none.
Expression stable_log(const Expression& argument) {
  const Expression& inner = inside_reshapes(argument);
  const Node& node = inner.node();
  Expression made;
  if (node.op == Op::logistic)
    made = log_logistic(node.inputs[0]);
  else if (node.op == Op::softmax)
    made = build::along_axis(Op::log_softmax, node.inputs[0], node.attributes.axis, node.shape);
  else if (const Expression x = exponent_of_one_plus(inner))
    made = log1p_exp(x);
  return made ? shaped_like(made, argument) : made;
}

Expression stable_quotient(const Expression& x) {
  const Node& node = x.node();
  const Expression& divisor = inside_reshapes(node.op == Op::reciprocal ? node.inputs[0] : node.inputs[1]);
  const Expression exponent = exponent_of_one_plus(divisor);
  if (!exponent || exponent.shape().size() != x.shape().size()) return {};
  if (node.op == Op::reciprocal || build::is_constant(node.inputs[0], 1.0)) return shaped_like(logistic(-exponent), x);
  const Expression& above = inside_reshapes(node.inputs[0]);
  if (!is_op(above, Op::exp)) return {};
  const Expression& below = divisor.node().inputs[build::is_constant(divisor.node().inputs[0], 1.0) ? 1 : 0];
  return inside_reshapes(below).pointer() == above.pointer() ? shaped_like(logistic(exponent), x) : Expression();
}

bool is_negation(const Expression& x, const Expression& of) {
  return is_op(x, Op::negate) && x.node().inputs[0].pointer() == of.pointer();
}

/// y log_logistic(x) + (1 - y) log_logistic(-x) = y x - log1p_exp(x), at half the cost; empty for other expressions.
Expression bernoulli_sum(const Expression& sum) {
  struct Term {
    Expression factor, argument;
  };
  const auto term = [](const Expression& product) -> Term {
    if (!is_op(product, Op::multiply)) return {};
    const auto& inputs = product.node().inputs;
    for (std::size_t k = 0; k < 2; ++k)
      if (is_op(inputs[k], Op::log_logistic)) return {inputs[1 - k], inputs[k].node().inputs[0]};
    return {};
  };
  const Term a = term(sum.node().inputs[0]), b = term(sum.node().inputs[1]);
  if (!a.factor || !b.factor) return {};
  for (const auto& [one, other] : {std::pair(a, b), std::pair(b, a)}) {
    const Node& rest = other.factor.node();
    if (rest.op != Op::subtract || !build::is_constant(rest.inputs[0], 1.0) ||
        rest.inputs[1].pointer() != one.factor.pointer())
      continue;
    const bool opposite = is_negation(other.argument, one.argument) || is_negation(one.argument, other.argument);
    if (opposite) return one.factor * one.argument - log1p_exp(one.argument);
  }
  return {};
}

class StableForms {
 public:
  Expression replaced(const Expression& x) {
    const Node& node = x.node();
    Expression made;
    switch (node.op) {
      case Op::reciprocal:
      case Op::divide: made = stable_quotient(x); break;
      case Op::subtract: {
        const Expression& inner = inside_reshapes(node.inputs[1]);
        if (build::is_constant(node.inputs[0], 1.0) && is_op(inner, Op::logistic) &&
            inner.shape().size() == x.shape().size())
          made = shaped_like(logistic(-inner.node().inputs[0]), x);
        break;
      }
      case Op::add:
        made = bernoulli_sum(x);
        if (made && made.shape() != x.shape()) made = {};
        break;
      case Op::log: made = stable_log(node.inputs[0]); break;
      case Op::log1p:
        if (is_op(inside_reshapes(node.inputs[0]), Op::exp))
          made = shaped_like(log1p_exp(inside_reshapes(node.inputs[0]).node().inputs[0]), x);
        break;
      case Op::multiply:
        for (std::size_t k = 0; k < 2 && !made; ++k) made = product_with_log(node.inputs[k], node.inputs[1 - k], x);
        break;
      default: break;
    }
    return made ? made : x;
  }

  /// made: the rewritten x.
  void note(const Expression& x, const Expression& made) {
    const Node& node = x.node();
    bool depends = node.op == Op::parameter;
    for (const auto& input : node.inputs) depends = depends || with_parameters_.contains(&input.node());
    if (depends) with_parameters_.insert({&node, &made.node()});
  }

 private:
  /// y log(p) with data y: if p rounds to 0 and y is 0, the product is 0 and not NaN.
  Expression product_with_log(const Expression& y, const Expression& logarithm, const Expression& x) const {
    if (!is_op(logarithm, Op::log) || !y.per_row() || with_parameters_.contains(&y.node())) return {};
    const Expression& p = logarithm.node().inputs[0];
    if (!p.per_row() || !with_parameters_.contains(&p.node())) return {};
    const Expression made = multiply_log(y, p);
    return made.shape() == x.shape() ? made : Expression();
  }

  std::unordered_set<const Node*> with_parameters_;
};

}  // namespace

Expression with_stable_forms(const Expression& density) {
  StableForms forms;
  std::unordered_map<const Node*, Expression> done;
  for (const auto& x : topological_order({density})) {
    const Node& node = x.node();
    bool changed = false;
    std::vector<Expression> inputs;
    for (const auto& input : node.inputs) {
      inputs.push_back(done.at(&input.node()));
      changed = changed || inputs.back().pointer() != input.pointer();
    }
    Expression current = x;
    if (changed) {
      current = build::node(node.op, std::move(inputs), node.shape, node.attributes);
      const_cast<Node&>(current.node()).type = node.type;
    }
    Expression made = forms.replaced(current);
    forms.note(current, made);
    done[&node] = std::move(made);
  }
  return done.at(&density.node());
}

}  // namespace sgmcmc
