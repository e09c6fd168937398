// One visit to the ratings of a block: for each, the derivative e of its log density with respect to x = u . v, and
// the sums e v for users and e u for items. Rows of users are (factors, bias, 1), those of items (factors, 1, bias).
#pragma once

#include "factors/observation_law.hpp"
#include "factors/ring/rating_blocks.hpp"

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

/// gaussian: normal errors of unit precision, e = rating - x; returns the sum of e^2. Others return 0. bernoulli: 1
/// with probability Phi(offset + x). poisson and stable: the law of the parameter offset + scale x, which may have any
/// unit; below `least` it is taken to be least, because a slope must be finite.
struct BlockLaw {
  Observations observations = Observations::gaussian;
  double offset = 0, scale = 1, least = 1e-6;
  const ObservationLaw* law = nullptr;  ///< poisson and stable
};
double visit_block(const RatingBlocks::Block& block, const BlockRows& rows, const BlockLaw& law = {});

}  // namespace sgmcmc
