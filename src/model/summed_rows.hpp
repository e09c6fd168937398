// Likelihoods whose sum over all rows follows from precomputed sufficient statistics, such as normal linear regression.
//
//   sum over i of -(y_i - a - x_i . b)^2 / (2 s^2) - log s  =  a function of a, b, s and of sums of products of y and x
//
// Recognised from the graph: a row's log likelihood must be a sum of global terms, global coefficients times data, and
// products of two such sums. A full-data gradient then costs K^2 operations for K columns, whatever the number of rows.
#pragma once

#include <sgmcmc/model.hpp>

#include <optional>

namespace sgmcmc {

/// The log likelihood of all rows as a function of the parameters alone. Empty if the likelihood does not have this
/// form, or if there are too few rows for the sums to be faster. Visits all rows twice.
std::optional<Expression> sum_rows(const Model& model);

}  // namespace sgmcmc
