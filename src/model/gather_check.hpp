// Whether the integer columns that gather from tables stay inside them.
#pragma once

#include <sgmcmc/dataset.hpp>
#include <sgmcmc/expression.hpp>

namespace sgmcmc {

/// Throws DataError naming the column, the row and the value of the first index outside its table.
void check_gather_indices(const Expression& expression, const Dataset& data);

}  // namespace sgmcmc
