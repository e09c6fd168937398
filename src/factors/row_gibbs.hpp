// Rows of one side drawn from their conditionals given the other side: a normal distribution each,
//
//   precision  A = Lambda + tau sum_j x_j x_j'          x_j = (v_j, 1), or v_j without biases
//   mean       A^-1 (Lambda mu + tau sum_j y_j x_j)     y_j = (rating - offset) / scale - b_j
//
// with the sums over the ratings of the row. Sums are made in panels of rows that stay in cache, the decompositions of
// eight rows at a time, one in each lane of a pack.
#pragma once

#include "base/memory.hpp"
#include "base/thread_pool.hpp"
#include "factors/factor_state.hpp"
#include "factors/rating_rows.hpp"

#include <sgmcmc/random.hpp>

#include <Eigen/Core>

#include <cstddef>
#include <vector>

namespace sgmcmc {

class RowGibbs {
 public:
  RowGibbs(RowShape shape, ThreadPool& pool);

  struct Target {
    double noise_precision = 1.0, offset = 0.0, scale = 1.0;
  };
  /// Draws every row of `side`. Gives the sum of squared errors of all ratings after it, in units of scale.
  double draw(const RatingRows& ratings, FactorSide& side, const FactorSide& other, const Target& target,
              const StreamKey& key);

  /// The products of the rows of a side with themselves, summed, the 1 behind each row included.
  Eigen::MatrixXd products(const FactorSide& side);

 private:
  static constexpr std::size_t lanes = 8;
  struct Scratch {
    AlignedBuffer<double> panel, gram, lane_gram, lane_factor, vectors, noise;
  };
  void add_row(const RatingRows& ratings, std::size_t row, const FactorSide& other, const Target& target,
               Scratch& scratch) const;
  double draw_eight(const FactorSide& side, const Target& target, Scratch& scratch) const;

  RowShape shape_;
  ThreadPool& pool_;
  std::vector<Scratch> scratch_;
  std::vector<double> errors_;
  Eigen::VectorXd weighted_mean_;
};

}  // namespace sgmcmc
