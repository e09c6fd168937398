// Rotates the columns into the factor by Givens rotations, coordinate by coordinate.
#include "dynamics/cholesky_update.hpp"

#include "dynamics/kernel.hpp"

#include <cmath>

namespace sgmcmc {

void update_cholesky(std::span<double> lower, double scale, std::span<double> columns, std::size_t size) {
  // Keeps the column of the factor in cache for all vectors.
  for (std::size_t j = 0; j < size; ++j) {
    double* factor = lower.data() + j * size;
    for (std::size_t i = j; i < size; ++i) factor[i] *= scale;
    for (std::size_t begin = 0; begin < columns.size(); begin += size) {
      double* column = columns.data() + begin;
      if (column[j] == 0.0) continue;
      const double length = std::hypot(factor[j], column[j]);
      const double c = factor[j] / length, s = column[j] / length;
      factor[j] = length;
      SGMCMC_INDEPENDENT_ITERATIONS()
      for (std::size_t i = j + 1; i < size; ++i) {
        const double kept = factor[i];
        factor[i] = c * kept + s * column[i];
        column[i] = c * column[i] - s * kept;
      }
    }
  }
}

}  // namespace sgmcmc
