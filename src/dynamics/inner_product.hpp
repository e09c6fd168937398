// Inner products with several partial sums, which the compiler can vectorise.
#pragma once

#include <cstddef>
#include <span>

namespace sgmcmc {

inline double inner_product(std::span<const double> a, std::span<const double> b) {
  // Eight partial sums, because the compiler may not reorder a single one.
  double sums[8] = {};
  const std::size_t whole = a.size() / 8 * 8;
  for (std::size_t i = 0; i < whole; i += 8)
    for (std::size_t k = 0; k < 8; ++k) sums[k] += a[i + k] * b[i + k];
  double total = 0.0;
  for (std::size_t i = whole; i < a.size(); ++i) total += a[i] * b[i];
  for (const double sum : sums) total += sum;
  return total;
}

}  // namespace sgmcmc
