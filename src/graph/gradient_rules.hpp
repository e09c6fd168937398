// The table of derivatives: one reverse-mode rule per op, itself made of ops, so that derivatives can be taken again.
#pragma once

#include <sgmcmc/expression.hpp>

#include <vector>

namespace sgmcmc {

/// Given y = op(inputs) and the adjoint of y, the adjoints contributed to each input (empty where there is none, or
/// where `needed` says that nobody asks). For elementwise ops the adjoint may be a scalar standing for all elements
/// alike, and contributions come in the shape of y or as such scalars; the caller reduces them to the input's shape.
std::vector<Expression> gradient_contributions(const Expression& y, const Expression& adjoint,
                                               const std::vector<bool>& needed);
// Parts of that table: special functions, and factorisations and solves.
std::vector<Expression> special_contributions(const Expression& y, const Expression& adjoint,
                                              const std::vector<bool>& needed);
std::vector<Expression> matrix_contributions(const Expression& y, const Expression& adjoint,
                                             const std::vector<bool>& needed);

}  // namespace sgmcmc
