// Simplexes, ordered vectors and unit vectors as expressions, over all blocks and elements at once.
#include "constraint/transforms.hpp"

#include <cmath>

namespace sgmcmc {

namespace {

using Positions = std::vector<std::int64_t>;

/// For an output of `groups` rows of `columns`: the flat position (group, column + shift) in an input of `groups` rows
/// of `input_columns`, or -1 (a zero) if there is none.
Positions shifted(std::int64_t groups, std::int64_t columns, std::int64_t input_columns, std::int64_t shift) {
  Positions positions;
  positions.reserve(static_cast<std::size_t>(groups * columns));
  for (std::int64_t g = 0; g < groups; ++g) {
    for (std::int64_t k = 0; k < columns; ++k) {
      const std::int64_t from = k + shift;
      positions.push_back(from < 0 || from >= input_columns ? -1 : g * input_columns + from);
    }
  }
  return positions;
}

}  // namespace

Transformed simplex_transform(const Expression& u, const Blocks& blocks) {
  const std::int64_t groups = blocks.groups, size = blocks.columns, free = size - 1;
  if (free == 0) {
    return {constant(std::vector<double>(static_cast<std::size_t>(blocks.shape.size()), 1.0), blocks.shape), 0.0};
  }
  // Stick breaking: element k takes the share z_k = logistic(u_k - log(K - 1 - k)) of the remainder, so that u = 0 is
  // the uniform simplex. The log remainder is a cumulative sum.
  std::vector<double> offset(static_cast<std::size_t>(free));
  for (std::int64_t k = 0; k < free; ++k) {
    offset[static_cast<std::size_t>(k)] = std::log(static_cast<double>(free - k));
  }
  const Expression adjusted = reshape(u, Shape{groups, free}) - constant(std::move(offset));
  const Expression log_share = log_logistic(adjusted);
  const Expression log_rest = log_logistic(-adjusted);
  const Expression log_remaining = cumulative_sum(log_rest);
  const Expression log_value = take(log_remaining, shifted(groups, size, free, -1), Shape{groups, size}) +
                               take(log_share, shifted(groups, size, free, 0), Shape{groups, size});
  // d x_k / d u_k = remaining_k z_k (1 - z_k) = x_k (1 - z_k).
  const Expression log_free_values = take(log_value, shifted(groups, free, size, 0), Shape{groups, free});
  return {reshape(exp(log_value), blocks.shape), sum(log_free_values + log_rest)};
}

Transformed ordered_transform(const Expression& u, const Blocks& blocks, bool positive) {
  const std::int64_t groups = blocks.groups, size = blocks.columns;
  const Expression coordinates = reshape(u, Shape{groups, size});
  if (positive) return {reshape(cumulative_sum(exp(coordinates)), blocks.shape), sum(u)};
  if (size == 1) return {reshape(u, blocks.shape), 0.0};
  // Separates the first elements before exp: a large first element must not overflow in an unused branch.
  const Expression log_steps = take(u, shifted(groups, size - 1, size, 1), Shape{groups, size - 1});
  Positions first = shifted(groups, size, size, 0);
  for (std::int64_t g = 0; g < groups; ++g) {
    for (std::int64_t k = 1; k < size; ++k) first[static_cast<std::size_t>(g * size + k)] = -1;
  }
  const Expression steps = take(exp(log_steps), shifted(groups, size, size - 1, -1), Shape{groups, size});
  const Expression value = cumulative_sum(take(u, std::move(first), Shape{groups, size}) + steps);
  return {reshape(value, blocks.shape), sum(log_steps)};
}

Transformed unit_vector_transform(const Expression& u, const Blocks& blocks) {
  // |u| is an extra degree of freedom; a standard normal prior on u makes it proper and the direction uniform.
  const Expression coordinates = reshape(u, Shape{blocks.groups, blocks.columns});
  const Expression squared_length = sum(square(coordinates), -1);
  const Expression length = reshape(sqrt(squared_length), Shape{blocks.groups, 1});
  return {reshape(coordinates / length, blocks.shape), -0.5 * sum(squared_length)};
}

}  // namespace sgmcmc
