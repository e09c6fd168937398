// The table of derivatives: one reverse-mode rule per op, itself composed of ops, so that derivatives can be
// differentiated.
#pragma once

#include <sgmcmc/expression.hpp>

#include <vector>

namespace sgmcmc {

/// Given y = op(inputs) and the adjoint of y, returns the adjoint contributions to each input (empty if there is none,
/// or not `needed`). For elementwise ops the adjoint may be a scalar for all elements, and contributions have the shape
/// of y or are such scalars; the caller reduces them to the input's shape.
std::vector<Expression> gradient_contributions(const Expression& y, const Expression& adjoint,
                                               const std::vector<bool>& needed);
// Parts of that table: special functions, and factorisations and solves.
std::vector<Expression> special_contributions(const Expression& y, const Expression& adjoint,
                                              const std::vector<bool>& needed);
std::vector<Expression> matrix_contributions(const Expression& y, const Expression& adjoint,
                                             const std::vector<bool>& needed);

}  // namespace sgmcmc
