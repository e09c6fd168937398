// Updating a Cholesky factor by vectors, without the matrix.
#pragma once

#include <cstddef>
#include <span>

namespace sgmcmc {

/// lower <- the Cholesky factor of scale^2 lower lower' + columns columns', in O(size^2) per column. lower: size x size
/// by column, of which the lower triangle is read and written; columns: one after another, spoilt.
void update_cholesky(std::span<double> lower, double scale, std::span<double> columns, std::size_t size);

}  // namespace sgmcmc
