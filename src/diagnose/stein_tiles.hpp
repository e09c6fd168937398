// The sum of the Stein kernel over a pair of tiles of points, compiled for the processor's level.
#pragma once

#include <cstdint>

namespace sgmcmc {

inline constexpr std::int64_t stein_tile = 64;

/// Positions and gradients have `size` numbers for each point, one point after the other; the other arrays have one
/// each.
struct SteinTilePoints {
  const double *positions, *gradients, *weights;
  const double* squares;  ///< x'x
  const double* along;    ///< x'g
  std::int64_t count, size;
  double offset_squared;
};

/// Sums of w_x w_y k0(x, y) over a pair of tiles.
struct SteinPairSum {
  double different = 0;  ///< pairs of different points
  double same = 0;
  double same_unweighted = 0;  ///< w_x k0(x, x)
};

/// The tiles begin at the points `first` and `second`.
SteinPairSum sum_over_tiles(const SteinTilePoints& points, std::int64_t first, std::int64_t second);

}  // namespace sgmcmc
