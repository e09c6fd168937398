// One visit to the ratings of a block: for each, the derivative e of its log density with respect to x = u . v, and
// the sums e v for users and e u for items. Rows of users are (factors, bias, 1), those of items (factors, 1, bias).
#pragma once

#include "factors/rating_blocks.hpp"

#include <sgmcmc/factorize.hpp>

#include <cstddef>

namespace sgmcmc {

struct BlockRows {
  const float* users = nullptr;
  const float* items = nullptr;
  float* user_gradient = nullptr;  ///< zero where nothing was added yet
  float* item_gradient = nullptr;
  std::size_t stride = 0;  ///< a multiple of 16
};

/// gaussian: normal errors of unit precision, e = rating - x; returns the sum of e^2. bernoulli: 1 with probability
/// Phi(offset + x); returns 0.
double visit_block(const RatingBlocks::Block& block, const BlockRows& rows,
                   Observations observations = Observations::gaussian, float offset = 0);

}  // namespace sgmcmc
