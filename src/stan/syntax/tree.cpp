// Symbols of operators, and copies of expressions.
#include "stan/syntax/tree.hpp"

#include <type_traits>

namespace sgmcmc::stan {

const char* operator_text(Operator op) {
  switch (op) {
    case Operator::add: return "+";
    case Operator::subtract: return "-";
    case Operator::multiply: return "*";
    case Operator::divide: return "/";
    case Operator::integer_divide: return "%/%";
    case Operator::modulo: return "%";
    case Operator::left_divide: return "\\";
    case Operator::power: return "^";
    case Operator::elementwise_multiply: return ".*";
    case Operator::elementwise_divide: return "./";
    case Operator::elementwise_power: return ".^";
    case Operator::equal: return "==";
    case Operator::not_equal: return "!=";
    case Operator::less: return "<";
    case Operator::less_equal: return "<=";
    case Operator::greater: return ">";
    case Operator::greater_equal: return ">=";
    case Operator::logical_and: return "&&";
    case Operator::logical_or: return "||";
    case Operator::negate: return "-";
    case Operator::plus: return "+";
    case Operator::logical_not: return "!";
    case Operator::transpose: return "'";
  }
  return "";
}

namespace {

std::vector<TreePointer> copies(const std::vector<TreePointer>& trees) {
  std::vector<TreePointer> result;
  result.reserve(trees.size());
  for (const TreePointer& tree : trees) result.push_back(copy(tree));
  return result;
}

struct CopyForm {
  template <class Leaf>
  Tree::Form operator()(const Leaf& leaf) const {
    static_assert(std::is_copy_constructible_v<Leaf>);
    return leaf;
  }
  Tree::Form operator()(const Unary& tree) const { return Unary{tree.op, copy(tree.operand)}; }
  Tree::Form operator()(const Binary& tree) const { return Binary{tree.op, copy(tree.left), copy(tree.right)}; }
  Tree::Form operator()(const Conditional& tree) const {
    return Conditional{copy(tree.condition), copy(tree.if_true), copy(tree.if_false)};
  }
  Tree::Form operator()(const Indexed& tree) const {
    Indexed result{copy(tree.container), {}};
    for (const Index& index : tree.indices) {
      result.indices.push_back({index.kind, copy(index.single), copy(index.from), copy(index.to), index.span});
    }
    return result;
  }
  Tree::Form operator()(const ArrayLiteral& tree) const { return ArrayLiteral{copies(tree.elements)}; }
  Tree::Form operator()(const RowVectorLiteral& tree) const { return RowVectorLiteral{copies(tree.elements)}; }
  Tree::Form operator()(const Call& tree) const {
    return Call{tree.name, tree.name_span, copies(tree.arguments), tree.bar};
  }
};

}  // namespace

TreePointer copy(const TreePointer& tree) {
  if (!tree) return nullptr;
  return std::make_unique<Tree>(
      Tree{std::visit(CopyForm{}, tree->form), tree->span, tree->type, tree->data_only, tree->height});
}

ConstraintTree copy(const ConstraintTree& constraint) {
  return {constraint.kind, copy(constraint.lower), copy(constraint.upper), copy(constraint.offset),
          copy(constraint.multiplier)};
}

}  // namespace sgmcmc::stan
