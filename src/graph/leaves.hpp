// Leaves of the graph (parameters, row data, row weights) and sums over rows.
#pragma once

#include "graph/node.hpp"

#include <sgmcmc/expression.hpp>

#include <string>

namespace sgmcmc {

Expression parameter_leaf(std::string name, Shape shape, std::int64_t offset, Point point = Point::current);
Expression row_real(std::string name, Shape shape);
Expression row_integer(std::string name, Shape shape);
Expression row_sparse(std::string name, std::int64_t columns);
Expression row_weight();

/// Sum over the rows of the batch. Recognises products that need not be formed per row (outer products, scattered
/// values) and sums them directly; moves factors that do not vary over rows out of the sum.
Expression row_sum(const Expression& x);

}  // namespace sgmcmc
