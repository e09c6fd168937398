// Sets of draws made from random streams, for tests of comparisons.
#pragma once

#include <sgmcmc/compare.hpp>
#include <sgmcmc/draws.hpp>
#include <sgmcmc/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace sgmcmc::testing {

inline std::vector<double> normals(std::uint64_t seed, std::size_t count) {
  std::vector<double> values(count);
  fill_normal(StreamKey{seed, 0, 0, Purpose::data}, std::span<double>(values));
  return values;
}

inline DrawPoints points(std::size_t dimension, std::vector<double> values, std::vector<double> weights = {}) {
  DrawPoints result;
  result.dimension = dimension;
  result.values = std::move(values);
  result.weights = std::move(weights);
  return result;
}

/// Independent normal draws, the same mean and standard deviation in every coordinate.
inline DrawPoints normal_points(std::uint64_t seed, std::size_t dimension, std::size_t count, double mean = 0.0,
                                double sd = 1.0) {
  auto values = normals(seed, dimension * count);
  for (double& x : values) x = mean + sd * x;
  return points(dimension, std::move(values));
}

/// Points as chains of equal length, named x[1], x[2], ...
inline MemoryDraws as_chains(const DrawPoints& from, std::size_t chains) {
  std::vector<std::string> names;
  for (std::size_t j = 1; j <= from.dimension; ++j) names.push_back("x[" + std::to_string(j) + "]");
  const std::size_t length = from.count() / chains;
  MemoryDraws draws;
  draws.begin(names, chains, length);
  for (std::size_t chain = 0; chain < chains; ++chain)
    for (std::size_t k = chain * length; k < (chain + 1) * length; ++k)
      draws.write(chain, from.point(k), from.weights.empty() ? 1.0 : from.weights[k]);
  return draws;
}

/// Independent Dirichlet draws.
inline DrawPoints dirichlet_points(std::uint64_t seed, const std::vector<double>& concentration, std::size_t count) {
  std::vector<double> values(concentration.size());
  DrawPoints result;
  result.dimension = concentration.size();
  for (std::size_t k = 0; k < count; ++k) {
    fill_log_gamma(StreamKey{seed, 0, k, Purpose::data}, concentration, values);
    const double most = *std::max_element(values.begin(), values.end());
    double total = 0.0;
    for (double& x : values) total += x = std::exp(x - most);
    for (const double x : values) result.values.push_back(x / total);
  }
  return result;
}

}  // namespace sgmcmc::testing
