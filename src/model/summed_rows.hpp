// Likelihoods whose sum over all rows is known from a few sums taken once, as those of normal linear regressions.
//
//   sum over i of -(y_i - a - x_i . b)^2 / (2 s^2) - log s  =  a function of a, b, s and of sums of products of y and x
//
// Recognised from the graph: a row's log likelihood may be a sum of global numbers, of numbers times data, and of
// products of two such sums. A gradient over all rows then costs K^2 operations for K columns, however many rows there
// are.
#pragma once

#include <sgmcmc/model.hpp>

#include <optional>

namespace sgmcmc {

/// The log likelihood of all rows as a function of the parameters alone. Nothing where rows enter in another way, and
/// where there are too few of them for the sums to pay. Visits all rows twice.
std::optional<Expression> sum_rows(const Model& model);

}  // namespace sgmcmc
