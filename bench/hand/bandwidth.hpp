// A plain read of a block of memory, and two full passes for the gradient of logistic regression, on several threads:
// the first measures the memory bandwidth, the others how much of it loops written for the model achieve.
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

/// The same gradient in blocks of rows that stay in the first-level cache between two visits: first the dot products of
/// the block, row after row as memory is read best, then the weighted sum. Here point and sums stay in registers where
/// vectors are short, too; the other pass needs registers for both at once.
template <class Real, int features>
void logistic_full_gradient_in_blocks(const LogisticRows<Real, features>& data,
                                      const LogisticPoint<Real, features>& point, int threads,
                                      LogisticPoint<Real, features>& gradient) {
  constexpr int width = lanes<Real>;
  constexpr int chunks = (features + width - 1) / width;
  constexpr int stride = LogisticRows<Real, features>::stride;
  constexpr int block = 32;
  constexpr int ahead = 96;  // rows, into the second-level cache; a prefetch beyond the end does nothing
  static_assert(block % width == 0 && chunks >= 4);
  std::vector<LogisticPoint<Real, features>> parts(static_cast<std::size_t>(threads));
  in_parts(threads, data.rows(), [&](int number, std::size_t first, std::size_t last) {
    Vector<Real> total[chunks] = {};
    for (std::size_t start = first; start < last; start += block) {
      const int count = static_cast<int>(std::min<std::size_t>(block, last - start));
      const Real* const rows = data.row(static_cast<std::uint32_t>(start));
      alignas(64) Real weight[block];
      Vector<Real> dots[width] = {};
      Vector<Real> factor[chunks];
      for (int c = 0; c < chunks; ++c) factor[c] = load(point.value + c * width);
      const Real* row = rows;
      for (int i = 0; i < count; ++i, row += stride) {
        for (int l = 0; l < LogisticRows<Real, features>::lines; ++l)
          __builtin_prefetch(reinterpret_cast<const char*>(row + ahead * stride) + 64 * l, 0, 2);
        Vector<Real> sums[4];
#pragma GCC unroll 64
        for (int c = 0; c < chunks; ++c) {
          const Vector<Real> product = load(row + c * width) * factor[c];
          sums[c % 4] = c < 4 ? product : sums[c % 4] + product;
        }
        dots[i % width] = (sums[0] + sums[2]) + (sums[1] + sums[3]);
        if (i % width == width - 1 || i == count - 1) store(weight + i / width * width, sums_of_lanes<Real>(dots));
      }
      for (int i = 0; i < count; i += width) store(weight + i, logistic(load(weight + i)));
      row = rows;
      for (int i = 0; i < count; ++i, row += stride) weight[i] = row[features] - weight[i];
      row = rows;
      for (int i = 0; i < count; ++i, row += stride) {
        const Real by = weight[i];
#pragma GCC unroll 64
        for (int c = 0; c < chunks; ++c) total[c] += load(row + c * width) * by;
      }
    }
    for (int c = 0; c < chunks; ++c) store(parts[static_cast<std::size_t>(number)].value + c * width, total[c]);
  });
  gradient = {};
  for (const auto& part : parts)
    for (int j = 0; j < features; ++j) gradient.value[j] += part.value[j];
}

}  // namespace sgmcmc::hand
