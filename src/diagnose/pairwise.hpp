// Distances from a point to all points of a set, many at a time.
#pragma once

#include "base/pack.hpp"

#include <sgmcmc/compare.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace sgmcmc {

/// Points laid out coordinate by coordinate, in blocks: one point meets a block of them in a few instructions. Points
/// made up to fill the last block come after the others.
class TransposedPoints {
 public:
  static constexpr std::size_t block = 32;

  explicit TransposedPoints(const DrawPoints& points)
      : dimension_(points.dimension),
        count_(points.count()),
        padded_((count_ + block - 1) / block * block),
        values_(dimension_ * padded_, 0.0) {
    for (std::size_t k = 0; k < count_; ++k)
      for (std::size_t j = 0; j < dimension_; ++j) values_[j * padded_ + k] = points.point(k)[j];
  }

  std::size_t count() const { return count_; }
  std::size_t padded_count() const { return padded_; }

  /// Of the points from `first` on, rounded down to a whole block; `out` has room for padded_count(). Differences are
  /// squared and added as they are: equal points have distance 0 exactly, which |x|^2 + |y|^2 - 2 x'y would lose.
  void squared_distances(std::span<const double> from, std::span<double> out, std::size_t first = 0) const {
    using P = Pack<double>;
    constexpr std::size_t lanes = pack_width<double>, packs = block / lanes;
    for (std::size_t begin = first / block * block; begin < padded_; begin += block) {
      P sums[packs] = {};
      const double* to = values_.data() + begin;
      for (std::size_t j = 0; j < dimension_; ++j, to += padded_) {
        const P x(from[j]);
        for (std::size_t p = 0; p < packs; ++p) {
          const P difference = x - load(to + p * lanes);
          sums[p] += difference * difference;
        }
      }
      for (std::size_t p = 0; p < packs; ++p) store(out.data() + begin + p * lanes, sums[p]);
    }
  }

 private:
  std::size_t dimension_, count_, padded_;
  std::vector<double> values_;
};

}  // namespace sgmcmc
