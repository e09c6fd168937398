// A plain read of a block of memory, and a full pass for the gradient of logistic regression, on several threads: the
// first says how fast this memory can be read at all, the second what a loop written for the model makes of that.
#pragma once

#include "hand/logistic.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace sgmcmc::hand {

/// Calls work(part, first, last) for equal stretches of [0, count), one per thread.
template <class Work>
void in_parts(int threads, std::size_t count, Work work) {
  std::vector<std::thread> others;
  const auto bound = [&](int part) {
    return count * static_cast<std::size_t>(part) / static_cast<std::size_t>(threads);
  };
  for (int part = 1; part < threads; ++part) others.emplace_back([=] { work(part, bound(part), bound(part + 1)); });
  work(0, bound(0), bound(1));
  for (auto& thread : others) thread.join();
}

/// The sum of all numbers: reads every byte once, with eight accumulators so that nothing but memory is waited for.
template <class Real>
Real plain_read(const Real* values, std::size_t count, int threads) {
  struct alignas(64) Part {
    Real sum = 0;
  };
  std::vector<Part> parts(static_cast<std::size_t>(threads));
  constexpr std::size_t stretch = std::size_t{8} * lanes<Real>;
  in_parts(threads, count / stretch, [&](int part, std::size_t first, std::size_t last) {
    Vector<Real> sums[8] = {};
    for (const Real* at = values + first * stretch; at < values + last * stretch; at += stretch) {
#pragma GCC unroll 8
      for (int k = 0; k < 8; ++k) sums[k] += load(at + k * lanes<Real>);
    }
    for (int k = 1; k < 8; ++k) sums[0] += sums[k];
    Real total = 0;
    for (int lane = 0; lane < lanes<Real>; ++lane) total += sums[0][lane];
    parts[static_cast<std::size_t>(part)].sum = total;
  });
  Real total = 0;
  for (const auto& part : parts) total += part.sum;
  return total;
}

/// Gradient of the log likelihood over all rows; with_density: returns the log likelihood too, else 0.
template <bool with_density = false, class Real, int features>
Real logistic_full_gradient(const LogisticRows<Real, features>& data, const LogisticPoint<Real, features>& point,
                            int threads, LogisticPoint<Real, features>& gradient) {
  struct Part {
    LogisticPoint<Real, features> gradient;
    Real density = 0;
  };
  std::vector<Part> parts(static_cast<std::size_t>(threads));
  in_parts(threads, data.rows(), [&](int number, std::size_t first, std::size_t last) {
    const auto last_row = data.rows() - 1;
    Part& part = parts[static_cast<std::size_t>(number)];
    logistic_gradient<Real, features, false, with_density>(
        data, static_cast<int>(last - first),
        [&](int k) { return std::min(static_cast<std::uint32_t>(first) + static_cast<std::uint32_t>(k), last_row); },
        point, point, part.gradient, &part.density);
  });
  gradient = {};
  Real density = 0;
  for (const Part& part : parts) {
    for (int j = 0; j < features; ++j) gradient.value[j] += part.gradient.value[j];
    density += part.density;
  }
  return density;
}

}  // namespace sgmcmc::hand
