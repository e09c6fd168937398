// Distances between all pairs of two sets of points: a row at a time, blockwise, on several threads.
#pragma once

#include "base/thread_pool.hpp"

#include <sgmcmc/compare.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace sgmcmc {

/// Points laid out coordinate by coordinate, so that one point meets many in one vectorised loop.
class TransposedPoints {
 public:
  explicit TransposedPoints(const DrawPoints& points)
      : dimension_(points.dimension), count_(points.count()), values_(points.values.size()) {
    for (std::size_t k = 0; k < count_; ++k)
      for (std::size_t j = 0; j < dimension_; ++j) values_[j * count_ + k] = points.point(k)[j];
  }

  std::size_t count() const { return count_; }

  /// Differences are squared and added as they are: equal points have distance 0 exactly, which the expanded form
  /// |x|^2 + |y|^2 - 2 x'y would lose.
  void squared_distances(std::span<const double> from, std::span<double> out) const {
    constexpr std::size_t block = 512;  // of sums, so that they stay in the nearest cache
    for (std::size_t begin = 0; begin < count_; begin += block) {
      const std::size_t length = std::min(block, count_ - begin);
      double* sums = out.data() + begin;
      std::fill_n(sums, length, 0.0);
      for (std::size_t j = 0; j < dimension_; ++j) {
        const double* to = values_.data() + j * count_ + begin;
        const double x = from[j];
        for (std::size_t k = 0; k < length; ++k) sums[k] += (x - to[k]) * (x - to[k]);
      }
    }
  }

 private:
  std::size_t dimension_, count_;
  std::vector<double> values_;
};

/// Calls body(i, squared distances of point i from all points of `to`) for every point of `from`. Bodies run at once:
/// what they find must be kept by i and put together in order afterwards.
template <class Body>
void for_each_row_of_distances(const DrawPoints& from, const TransposedPoints& to, ThreadPool& pool, Body&& body) {
  constexpr std::size_t together = 16;
  std::vector<std::vector<double>> buffers(static_cast<std::size_t>(pool.threads()), std::vector<double>(to.count()));
  pool.for_each((from.count() + together - 1) / together, [&](std::size_t block, int worker) {
    auto& distances = buffers[static_cast<std::size_t>(worker)];
    for (std::size_t i = block * together; i < std::min(from.count(), (block + 1) * together); ++i) {
      to.squared_distances(from.point(i), distances);
      body(i, std::span<const double>(distances));
    }
  });
}

}  // namespace sgmcmc
