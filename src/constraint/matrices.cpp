// Correlation and covariance matrices and their Cholesky factors as expressions, over all blocks and entries at once.
#include "constraint/transforms.hpp"

#include <cmath>

namespace sgmcmc {

namespace {

using Positions = std::vector<std::int64_t>;

/// The position of the coordinate of every entry of every block; -1 if it has none.
Positions scattered(const std::vector<TriangleEntry>& entries, const Blocks& blocks) {
  Positions positions(static_cast<std::size_t>(blocks.groups * blocks.block_size()), -1);
  const auto count = static_cast<std::int64_t>(entries.size());
  for (std::int64_t g = 0; g < blocks.groups; ++g) {
    for (std::int64_t e = 0; e < count; ++e) {
      const auto& entry = entries[static_cast<std::size_t>(e)];
      positions[static_cast<std::size_t>(g * blocks.block_size() + entry.row * blocks.columns + entry.column)] =
          g * count + e;
    }
  }
  return positions;
}

Shape three_axes(const Blocks& blocks) { return Shape{blocks.groups, blocks.rows, blocks.columns}; }

Expression identity(std::int64_t dimension) {
  std::vector<double> values(static_cast<std::size_t>(dimension * dimension), 0.0);
  for (std::int64_t i = 0; i < dimension; ++i) values[static_cast<std::size_t>(i * (dimension + 1))] = 1.0;
  return constant(std::move(values), Shape{dimension, dimension});
}

/// L L' of every block [groups, K, K].
Expression times_own_transpose(const Expression& factor, const Blocks& blocks) {
  const std::int64_t groups = blocks.groups, size = blocks.columns;
  if (groups == 1) {
    const Expression matrix = reshape(factor, Shape{size, size});
    return reshape(matmul(matrix, transpose(matrix)), three_axes(blocks));
  }
  // For many small matrices, computes all products of entries in one array instead of nodes per block.
  if (size <= 8) {
    Positions left, right;
    for (std::int64_t g = 0; g < groups; ++g) {
      for (std::int64_t i = 0; i < size; ++i) {
        for (std::int64_t j = 0; j < size; ++j) {
          for (std::int64_t k = 0; k < size; ++k) {
            left.push_back((g * size + i) * size + k);
            right.push_back((g * size + j) * size + k);
          }
        }
      }
    }
    const Shape products{groups, size, size, size};
    return sum(take(factor, std::move(left), products) * take(factor, std::move(right), products), -1);
  }
  std::vector<Expression> parts;
  for (std::int64_t g = 0; g < groups; ++g) {
    const Expression matrix = factor[g];
    parts.push_back(matmul(matrix, transpose(matrix)));
  }
  return stack(parts);
}

/// The Cholesky factor from partial correlations z, and log sqrt(1 - z^2) of each.
struct CorrelationFactor {
  Expression factor;      ///< [groups, K, K]
  Expression log_cosine;  ///< [groups, coordinates]
};

CorrelationFactor correlation_factor(const Expression& u, const Blocks& blocks,
                                     const std::vector<TriangleEntry>& entries) {
  const std::int64_t size = blocks.columns;
  const auto count = static_cast<std::int64_t>(entries.size());
  // log sqrt(1 - tanh(u)^2) = log 2 + (log logistic(2u) + log logistic(-2u)) / 2, which does not round to log 0.
  const Expression twice = 2.0 * reshape(u, Shape{blocks.groups, count});
  const Expression log_cosine = 0.5 * (log_logistic(twice) + log_logistic(-twice)) + std::log(2.0);
  // L_ij = z_ij prod_{m < j} sqrt(1 - z_im^2) below the diagonal, the product alone on it: a cumulative sum along rows.
  const Positions triangle = scattered(entries, blocks);
  const Expression along_rows = cumulative_sum(take(log_cosine, triangle, three_axes(blocks)));
  Positions before(triangle.size(), -1);
  for (std::int64_t g = 0; g < blocks.groups; ++g) {
    for (std::int64_t i = 0; i < size; ++i) {
      for (std::int64_t j = 1; j <= i; ++j) {
        const std::int64_t at = (g * size + i) * size + j;
        before[static_cast<std::size_t>(at)] = at - 1;
      }
    }
  }
  const Expression length = exp(take(along_rows, std::move(before), three_axes(blocks)));
  const Expression share = take(tanh(u), triangle, three_axes(blocks)) + identity(size);
  return {share * length, log_cosine};
}

/// sum over coordinates of weight(entry) * log_cosine.
template <class Weight>
Expression weighted_sum(const Expression& log_cosine, const std::vector<TriangleEntry>& entries, Weight weight) {
  std::vector<double> weights;
  for (const auto& entry : entries) weights.push_back(static_cast<double>(weight(entry)));
  return sum(log_cosine * constant(std::move(weights)));
}

Transformed identity_blocks(const Blocks& blocks) {
  return {constant(std::vector<double>(static_cast<std::size_t>(blocks.shape.size()), 1.0), blocks.shape), 0.0};
}

/// Lower triangular blocks with exp on the diagonal, and the coordinates of the diagonals [groups, columns].
struct PositiveFactor {
  Expression factor;
  Expression log_diagonal;
};

PositiveFactor positive_factor(const Expression& u, const Blocks& blocks) {
  const auto entries = triangle_by_rows(blocks.rows, blocks.columns, true);
  const auto count = static_cast<std::int64_t>(entries.size());
  Positions below = scattered(entries, blocks), on_diagonal(below.size(), -1), diagonal_coordinates;
  for (std::int64_t g = 0; g < blocks.groups; ++g) {
    for (std::int64_t i = 0; i < blocks.columns; ++i) {
      const auto at = static_cast<std::size_t>(g * blocks.block_size() + i * blocks.columns + i);
      diagonal_coordinates.push_back(below[at]);
      on_diagonal[at] = g * blocks.columns + i;
      below[at] = -1;
    }
  }
  const Expression log_diagonal = take(u, std::move(diagonal_coordinates), Shape{blocks.groups, blocks.columns});
  const Expression diagonals = take(exp(log_diagonal), std::move(on_diagonal), three_axes(blocks));
  // A 1 x 1 block has no entries below its diagonal.
  if (count == 1) return {diagonals, log_diagonal};
  return {take(u, std::move(below), three_axes(blocks)) + diagonals, log_diagonal};
}

}  // namespace

Transformed cholesky_correlation_transform(const Expression& u, const Blocks& blocks) {
  if (blocks.columns == 1) return identity_blocks(blocks);
  const auto entries = triangle_by_rows(blocks.rows, blocks.columns, false);
  const auto [factor, log_cosine] = correlation_factor(u, blocks, entries);
  // 1 - z^2 for tanh, and sqrt(1 - z^2) once for every entry to the right of it, below the diagonal.
  const Expression log_jacobian =
      weighted_sum(log_cosine, entries, [](const TriangleEntry& e) { return 2 + (e.row - 1 - e.column); });
  return {reshape(factor, blocks.shape), log_jacobian};
}

Transformed correlation_transform(const Expression& u, const Blocks& blocks) {
  if (blocks.columns == 1) return identity_blocks(blocks);
  const std::int64_t size = blocks.columns;
  const auto entries = triangle_by_columns(size);
  const auto [factor, log_cosine] = correlation_factor(u, blocks, entries);
  // Sets the diagonal to exactly 1.
  const Expression correlation = times_own_transpose(factor, blocks) * (1.0 - identity(size)) + identity(size);
  // Lewandowski, Kurowicka and Joe (2009), equation 11, and 1 - z^2 for tanh.
  const Expression log_jacobian =
      weighted_sum(log_cosine, entries, [size](const TriangleEntry& e) { return 2 + (size - 2 - e.column); });
  return {reshape(correlation, blocks.shape), log_jacobian};
}

Transformed cholesky_covariance_transform(const Expression& u, const Blocks& blocks) {
  const auto [factor, log_diagonal] = positive_factor(u, blocks);
  return {reshape(factor, blocks.shape), sum(log_diagonal)};
}

Transformed covariance_transform(const Expression& u, const Blocks& blocks) {
  const auto [factor, log_diagonal] = positive_factor(u, blocks);
  // L -> L L' has determinant 2^K prod L_ii^(K - i), and exp adds one more L_ii.
  const std::int64_t size = blocks.columns;
  std::vector<double> weights;
  for (std::int64_t i = 0; i < size; ++i) weights.push_back(static_cast<double>(size - i + 1));
  const double powers_of_two = static_cast<double>(blocks.groups * size) * std::log(2.0);
  return {reshape(times_own_transpose(factor, blocks), blocks.shape),
          sum(log_diagonal * constant(std::move(weights))) + powers_of_two};
}

}  // namespace sgmcmc
