// Low-rank updates of a Cholesky factor.
#pragma once

#include <cstddef>
#include <span>

namespace sgmcmc {

/// lower <- the Cholesky factor of scale^2 lower lower' + columns columns', in O(size^2) per column. lower: size x size
/// by column, only the lower triangle is used; columns: concatenated, overwritten.
void update_cholesky(std::span<double> lower, double scale, std::span<double> columns, std::size_t size);

}  // namespace sgmcmc
