// Rows of one side drawn from their conditionals given the other side: a normal distribution each,
//
//   precision  A = Lambda + tau sum_j x_j x_j'          x_j = (v_j, 1), or v_j without biases
//   mean       A^-1 (Lambda mu + tau sum_j y_j x_j)     y_j = (rating - offset) / scale - b_j
//
// with sums over the ratings of the row, and mu its own prior mean if there are side features. Sums are computed in
// panels of rows that stay in cache, and decompositions for eight rows at a time, one in each lane of a pack.
#pragma once

#include "base/memory.hpp"
#include "base/thread_pool.hpp"
#include "factors/factor_ranks.hpp"
#include "factors/factor_state.hpp"
#include "factors/ratings/rating_rows.hpp"

#include <sgmcmc/random.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace sgmcmc {

class RowGibbs {
 public:
  RowGibbs(RowShape shape, ThreadPool& pool);

  struct Target {
    double noise_precision = 1.0, offset = 0.0, scale = 1.0;
  };
  /// Draws these rows of `side`, which begin at a multiple of eight. Sets the squared errors of their ratings after it.
  void draw(const RatingRows& ratings, RowRange rows, FactorSide& side, const FactorSide& other, const Target& target,
            const StreamKey& key);
  /// Draws every row. Returns the sum of squared errors of all ratings.
  double draw(const RatingRows& ratings, FactorSide& side, const FactorSide& other, const Target& target,
              const StreamKey& key) {
    draw(ratings, {0, side.count}, side, other, target, key);
    return summed_errors();
  }
  /// The sums of squared errors of the rows last drawn, of each group of eight rows, in units of scale.
  std::span<double> errors() { return errors_; }
  double summed_errors() const;
  /// The number of groups of this many rows.
  static std::size_t groups(std::size_t rows) { return (rows + lanes - 1) / lanes; }

  /// Of every row the lower triangle R with R' R = A^-1, where variance[j] is added to the squares of the factors in
  /// x_j and the sum over n ratings counts 1 + extra / n times; number (i, j) of row r goes to out[(r size + i) stride
  /// + place(j)], size the length of a row.
  /// Rows outside `rows` may be set too.
  template <class Place>
  void inverse_factors(const RatingRows& ratings, RowRange rows, const FactorSide& side, const FactorSide& other,
                       const Target& target, double extra, const std::vector<float>& variance, float* out,
                       std::size_t stride, const Place& place) {
    weighted_mean_ = side.prior.precision * side.prior.mean;
    for_groups(rows, side.count, [&](std::size_t first, std::size_t count, Scratch& scratch) {
      const std::size_t size = shape_.size();
      add_rows(ratings, first, count, other, target, scratch);
      for (std::size_t lane = 0; lane < count; ++lane) {
        const auto rated = static_cast<double>(ratings.start[first + lane + 1] - ratings.start[first + lane]);
        double spread = 0;
        for (std::uint64_t at = ratings.start[first + lane]; at < ratings.start[first + lane + 1]; ++at)
          spread += static_cast<double>(variance[ratings.other[at]]);
        for (std::size_t k = 0; k < shape_.factors; ++k)
          scratch.lane_gram[lanes * (k * (k + 1) / 2 + k) + lane] += spread;
        for (std::size_t k = 0; rated > 0 && k < size * (size + 1) / 2; ++k)
          scratch.lane_gram[lanes * k + lane] *= 1.0 + extra / rated;
      }
      set_prior_linear(side, first, count, scratch);
      decompose(side, target, scratch);
      invert(scratch);
      for (std::size_t lane = 0; lane < count; ++lane)
        for (std::size_t i = 0; i < size; ++i)
          for (std::size_t j = 0; j <= i; ++j)
            out[((first + lane) * size + i) * stride + place(j)] =
                static_cast<float>(scratch.lane_factor[lanes * (i * (i + 1) / 2 + j) + lane]);
    });
  }

  /// The products of the rows of a side with themselves, summed, the 1 behind each row included.
  Eigen::MatrixXd products(const FactorSide& side);

 private:
  static constexpr std::size_t lanes = 8;
  struct Scratch {
    AlignedBuffer<double> panel, gram, lane_gram, lane_factor, vectors, noise, linear;
  };
  void add_row(const RatingRows& ratings, std::size_t row, const FactorSide& other, const Target& target,
               Scratch& scratch) const;
  void add_rows(const RatingRows& ratings, std::size_t first, std::size_t count, const FactorSide& other,
                const Target& target, Scratch& scratch) const;
  void set_prior_linear(const FactorSide& side, std::size_t first, std::size_t count, Scratch& scratch) const;
  void decompose(const FactorSide& side, const Target& target, Scratch& scratch) const;
  void invert(Scratch& scratch) const;
  double draw_eight(Scratch& scratch) const;
  template <class Each>
  void for_groups(RowRange rows, std::size_t count, const Each& each) {
    const std::size_t begin = rows.begin / lanes;
    pool_.for_each(std::max(begin, groups(rows.end)) - begin, [&](std::size_t task, int worker) {
      const std::size_t first = (begin + task) * lanes;
      each(first, std::min(lanes, count - first), scratch_[static_cast<std::size_t>(worker)]);
    });
  }

  RowShape shape_;
  ThreadPool& pool_;
  std::vector<Scratch> scratch_;
  std::vector<double> errors_;
  Eigen::VectorXd weighted_mean_;
};

}  // namespace sgmcmc
