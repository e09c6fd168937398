// Visiting every part of an expression.
#pragma once

#include "stan/syntax/tree.hpp"

#include <variant>
#include <vector>

namespace sgmcmc::stan {

/// Calls visit(tree) for an expression and for everything in it, from the outside in.
template <class Visit>
void for_each_tree(const Tree& tree, const Visit& visit) {
  struct Walk {
    const Visit& visit;
    void all(const std::vector<TreePointer>& trees) const {
      for (const TreePointer& element : trees) for_each_tree(*element, visit);
    }
    void operator()(const IntegerLiteral&) const {}
    void operator()(const RealLiteral&) const {}
    void operator()(const StringLiteral&) const {}
    void operator()(const Name&) const {}
    void operator()(const Unary& unary) const { for_each_tree(*unary.operand, visit); }
    void operator()(const Binary& binary) const {
      for_each_tree(*binary.left, visit);
      for_each_tree(*binary.right, visit);
    }
    void operator()(const Conditional& conditional) const {
      for_each_tree(*conditional.condition, visit);
      for_each_tree(*conditional.if_true, visit);
      for_each_tree(*conditional.if_false, visit);
    }
    void operator()(const Indexed& indexed) const {
      for_each_tree(*indexed.container, visit);
      for (const Index& index : indexed.indices) {
        for (const Tree* part : {index.single.get(), index.from.get(), index.to.get()}) {
          if (part) for_each_tree(*part, visit);
        }
      }
    }
    void operator()(const ArrayLiteral& literal) const { all(literal.elements); }
    void operator()(const RowVectorLiteral& literal) const { all(literal.elements); }
    void operator()(const Call& call) const { all(call.arguments); }
  };
  visit(tree);
  std::visit(Walk{visit}, tree.form);
}

}  // namespace sgmcmc::stan
