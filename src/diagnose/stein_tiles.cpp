// Four small matrix products for each pair of tiles; then packs of pairs, except in tiles that meet themselves.
#include "diagnose/stein_tiles.hpp"

#include "base/levels.hpp"
#include "base/matrix_products.hpp"
#include "base/pack.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace sgmcmc {
namespace {

constexpr std::int64_t lanes = pack_width<double>;

/// k0 of points whose squared distance is `distance`; `across` is (g_y - g_x)'(x - y), `gradients` g_x'g_y.
template <class Real>
SGMCMC_INLINE Real kernel_of(const Real& distance, const Real& gradients, const Real& across, double offset_squared,
                             double dimension) {
  using std::sqrt;
  const Real inverse = Real(1.0) / (Real(offset_squared) + distance);  // k^2
  const Real kernel = sqrt(inverse), cube = kernel * inverse;
  return gradients * kernel + cube * (Real(dimension) - across - Real(3.0) * distance * inverse);
}

SteinPairSum sum_over_tiles_here(const SteinTilePoints& points, std::int64_t first, std::int64_t second) {
  const std::int64_t size = points.size;
  const std::int64_t rows = std::min(stein_tile, points.count - first);
  const std::int64_t columns = std::min(stein_tile, points.count - second);
  std::vector<double> products(static_cast<std::size_t>(4 * rows * columns));
  const auto multiply = [&](const double* left, const double* right, int which) {
    double* const result = products.data() + which * rows * columns;
    set_inner_products({left + first * size, size, rows, size}, {right + second * size, size, columns, size}, result,
                       rows);
    return result;
  };
  const double* xy = multiply(points.positions, points.positions, 0);
  const double* gh = multiply(points.gradients, points.gradients, 1);
  const double* gy = multiply(points.gradients, points.positions, 2);
  const double* xh = multiply(points.positions, points.gradients, 3);
  const auto dimension = static_cast<double>(size);
  const double *squares = points.squares + first, *along = points.along + first, *weights = points.weights + first;
  SteinPairSum sum;
  for (std::int64_t j = 0; j < columns; ++j, xy += rows, gh += rows, gy += rows, xh += rows) {
    const std::int64_t b = second + j;
    const double square_b = points.squares[b], along_b = points.along[b], weight_b = points.weights[b];
    std::int64_t i = 0;
    if (first != second) {
      Pack<double> packed(0.0);
      for (; i + lanes <= rows; i += lanes) {
        const Pack<double> distance =
            max(load(squares + i) + Pack<double>(square_b) - Pack<double>(2.0) * load(xy + i), Pack<double>(0.0));
        const Pack<double> across = load(xh + i) + load(gy + i) - load(along + i) - Pack<double>(along_b);
        packed =
            fma(load(weights + i), kernel_of(distance, load(gh + i), across, points.offset_squared, dimension), packed);
      }
      sum.different += weight_b * horizontal_sum(packed);
    }
    for (; i < rows; ++i) {
      const bool is_same = first + i == b;
      const double distance = is_same ? 0.0 : std::max(0.0, squares[i] + square_b - 2.0 * xy[i]);
      const double across = xh[i] + gy[i] - along[i] - along_b;
      const double value = kernel_of(distance, gh[i], across, points.offset_squared, dimension);
      if (is_same) {
        sum.same += weights[i] * weight_b * value;
        sum.same_unweighted += weights[i] * value;
      } else {
        sum.different += weights[i] * weight_b * value;
      }
    }
  }
  return sum;
}

}  // namespace

SGMCMC_DISPATCHED(SteinPairSum, sum_over_tiles,
                  (const SteinTilePoints& points, std::int64_t first, std::int64_t second), (points, first, second))

}  // namespace sgmcmc
