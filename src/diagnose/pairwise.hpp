// Distances from a point to all points of a set, many at a time.
#pragma once

#include "base/pack.hpp"
#include "base/thread_pool.hpp"

#include <sgmcmc/compare.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace sgmcmc {

/// Points in blocks, stored coordinate by coordinate, so that distances from a point to a block take a few vector
/// instructions. Padding points fill the last block.
class TransposedPoints {
 public:
  static constexpr std::size_t block = 32;
  static constexpr std::size_t group = 16;  ///< points compared with a block while it is in cache

  explicit TransposedPoints(const DrawPoints& points)
      : dimension_(points.dimension),
        count_(points.count()),
        padded_((count_ + block - 1) / block * block),
        values_(dimension_ * padded_, 0.0) {
    for (std::size_t k = 0; k < count_; ++k)
      for (std::size_t j = 0; j < dimension_; ++j)
        values_[(k / block * dimension_ + j) * block + k % block] = points.point(k)[j];
  }

  std::size_t count() const { return count_; }
  std::size_t padded_count() const { return padded_; }
  std::size_t room() const { return group * padded_; }  ///< numbers that squared_distances() writes
  std::span<const double> row(std::span<const double> distances, std::size_t k) const {
    return distances.subspan(k * padded_, padded_);
  }

  /// Squared distances of a group of points, starting at `begin`, to all of these, row by row into `out`. May leave
  /// columns before `first` unset. Sums squared differences, so that equal points have distance exactly 0, unlike with
  /// |x|^2 + |y|^2 - 2 x'y.
  void squared_distances(const DrawPoints& from, std::size_t begin, std::span<double> out,
                         std::size_t first = 0) const {
    using P = Pack<double>;
    constexpr std::size_t lanes = pack_width<double>, packs = block / lanes;
    const std::size_t end = std::min(from.count(), begin + group);
    for (std::size_t b = first / block; b < padded_ / block; ++b)
      for (std::size_t k = begin; k < end; ++k) {
        const double* point = from.values.data() + k * dimension_;
        const double* to = values_.data() + b * dimension_ * block;
        P sums[packs] = {};
        for (std::size_t j = 0; j < dimension_; ++j, to += block) {
          const P x(point[j]);
          for (std::size_t p = 0; p < packs; ++p) {
            const P difference = x - load(to + p * lanes);
            sums[p] += difference * difference;
          }
        }
        double* row = out.data() + (k - begin) * padded_ + b * block;
        for (std::size_t p = 0; p < packs; ++p) store(row + p * lanes, sums[p]);
      }
  }

 private:
  std::size_t dimension_, count_, padded_;
  std::vector<double> values_;
};

/// Calls body(i, its squared distances from all points of `to`, worker) for every point i of `from`; with `upper`, only
/// the distances to points i and later are set. Bodies run concurrently: store their results by i and combine them in
/// order.
template <class Body>
void for_each_row(const DrawPoints& from, const TransposedPoints& to, ThreadPool& pool, bool upper, Body&& body) {
  constexpr std::size_t group = TransposedPoints::group;
  std::vector<std::vector<double>> buffers(static_cast<std::size_t>(pool.threads()));
  pool.for_each((from.count() + group - 1) / group, [&](std::size_t number, int worker) {
    auto& distances = buffers[static_cast<std::size_t>(worker)];
    distances.resize(to.room());
    const std::size_t begin = number * group;
    to.squared_distances(from, begin, distances, upper ? begin : 0);
    for (std::size_t i = begin; i < std::min(from.count(), begin + group); ++i)
      body(i, to.row(distances, i - begin), worker);
  });
}

}  // namespace sgmcmc
