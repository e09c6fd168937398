// The Kullback-Leibler divergence between two sets of draws, by distances to nearest neighbours.
//
//   KL(p || q) is estimated by d/n sum_i log(nu_k(i) / rho_k(i)) + log(m / (n - 1))
//
// rho_k(i) is the distance of draw i of p to its k-th neighbour among the n - 1 others of p, nu_k(i) that to the k-th
// among the m draws of q. F. Perez-Cruz, Kullback-Leibler divergence estimation of continuous distributions, ISIT 2008.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace sgmcmc {

/// p and q: one draw after another. Coordinates are divided by the standard deviations of p first.
inline double neighbour_divergence(std::vector<double> p, std::vector<double> q, std::size_t dimension,
                                   std::size_t k = 10) {
  const std::size_t n = p.size() / dimension, m = q.size() / dimension;
  for (std::size_t j = 0; j < dimension; ++j) {
    double mean = 0, square = 0;
    for (std::size_t i = 0; i < n; ++i) mean += p[i * dimension + j] / static_cast<double>(n);
    for (std::size_t i = 0; i < n; ++i) square += std::pow(p[i * dimension + j] - mean, 2) / static_cast<double>(n);
    for (std::size_t i = 0; i < n; ++i) p[i * dimension + j] /= std::sqrt(square);
    for (std::size_t i = 0; i < m; ++i) q[i * dimension + j] /= std::sqrt(square);
  }
  std::vector<double> distances;
  const auto neighbour = [&](std::size_t i, const std::vector<double>& others, std::size_t count, bool own) {
    distances.clear();
    for (std::size_t j = 0; j < count; ++j) {
      if (own && i == j) continue;
      double sum = 0;
      for (std::size_t c = 0; c < dimension; ++c) {
        const double difference = p[i * dimension + c] - others[j * dimension + c];
        sum += difference * difference;
      }
      distances.push_back(sum);
    }
    std::nth_element(distances.begin(), distances.begin() + static_cast<std::ptrdiff_t>(k - 1), distances.end());
    return std::max(distances[k - 1], 1e-300);
  };
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += 0.5 * std::log(neighbour(i, q, m, false) / neighbour(i, p, n, true));
  return static_cast<double>(dimension) / static_cast<double>(n) * sum +
         std::log(static_cast<double>(m) / (static_cast<double>(n) - 1));
}

}  // namespace sgmcmc
