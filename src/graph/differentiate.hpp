// Reverse-mode differentiation on the graph: gradients are expressions like any other.
#pragma once

#include <sgmcmc/expression.hpp>

#include "graph/node.hpp"

#include <unordered_map>
#include <utility>
#include <vector>

namespace sgmcmc {

struct DifferentiateOptions {
  /// The scalar is per-row and so are the derivatives: one gradient for each row, nothing is summed over rows. Throws
  /// ModelError when the scalar itself contains a sum over rows.
  bool per_row = false;
  /// (from, to): what would go to leaf `from` is added to leaf `to` instead. With the centre's leaves sent to the
  /// current ones, d(f(theta) - f(centre)) is the difference of two gradients, and shared row data is multiplied only
  /// once.
  std::vector<std::pair<Expression, Expression>> redirect;
};

/// Derivatives of a scalar with respect to the given leaves (or inner nodes); zeros where it does not depend on them.
std::vector<Expression> differentiate(const Expression& scalar, const std::vector<Expression>& with_respect_to,
                                      const DifferentiateOptions& options = {});

/// The same expression with every parameter leaf reading another point. What does not depend on parameters is shared.
Expression at_point(const Expression& x, Point point);
/// The same for several expressions, empty ones included: what they share, their copies share.
std::vector<Expression> at_point(const std::vector<Expression>& expressions, Point point);

/// The same expressions with other expressions in the place of some nodes. What does not depend on those is shared, and
/// so is what they share.
std::vector<Expression> with_replaced(const std::vector<Expression>& expressions,
                                      std::unordered_map<const Node*, Expression> replaced);

/// Every node the expressions depend on, operands before their users, each once.
std::vector<Expression> topological_order(const std::vector<Expression>& outputs);

}  // namespace sgmcmc
