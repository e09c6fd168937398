// Ratings for experiments without data.
#pragma once

#include <sgmcmc/random.hpp>
#include <sgmcmc/ratings.hpp>

#include <cstdint>
#include <vector>

namespace sgmcmc {

/// Three factors and noise of sd 1, a tenth of the pairs.
inline Ratings made_up_ratings(std::uint32_t users, std::uint32_t items) {
  std::vector<double> u(3 * users), v(3 * items), noise(users * items), uniform(users * items);
  fill_normal({1, 0, 0, Purpose::data}, u);
  fill_normal({2, 0, 0, Purpose::data}, v);
  fill_normal({3, 0, 0, Purpose::data}, noise);
  fill_uniform({4, 0, 0, Purpose::data}, uniform);
  Ratings::Builder builder(users, items);
  for (std::uint32_t i = 0; i < users; ++i)
    for (std::uint32_t j = 0; j < items; ++j) {
      const std::size_t pair = i * items + j;
      if (uniform[pair] > 0.1) continue;
      double mean = 3.5;
      for (std::size_t k = 0; k < 3; ++k) mean += 0.4 * u[3 * i + k] * v[3 * j + k];
      builder.add(i, j, mean + noise[pair]);
    }
  return builder.build();
}

}  // namespace sgmcmc
