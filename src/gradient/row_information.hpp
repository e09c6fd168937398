// Second moments of per-row gradients over a minibatch, reduced tile by tile: what Fisher scoring weighs its steps
// with.
#pragma once

#include "minibatch/row_batch.hpp"
#include "plan/executor.hpp"

#include <sgmcmc/minibatch.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace sgmcmc {

/// Sums of w_i g_i and of products of their elements, for all pairs of coordinates or for each by itself. Never more
/// than one tile of per-row gradients is kept.
class RowProducts final : public RowConsumer {
 public:
  RowProducts(std::size_t dimension, bool all_pairs);

  void start(const RowBatch& batch);
  void consume(std::uint32_t position, std::uint32_t count, const double* values, std::int64_t stride) override;

  std::span<const double> sum() const { return sum_; }  ///< of w_i g_i

  /// Adds N times the covariance of a row's gradient, as estimated from the batch: to the lower triangle of a D x D
  /// matrix by column, or to D variances.
  void add_information(std::int64_t rows, std::span<double> out) const;
  /// Adds the covariance of sum w_i g_i over the choice of the batch, in the same shape.
  void add_noise(std::int64_t rows, RowSampling sampling, std::span<double> out) const;

 private:
  /// Adds factor (products - sum sum' / divisor).
  void add_centred(double factor, std::span<const double> products, double divisor, std::span<double> out) const;
  /// Adds weight times the products of the elements of every row of a tile.
  void add_products(double weight, const double* values, std::int64_t stride, std::uint32_t count,
                    std::vector<double>& products) const;
  double corrected_count() const { return static_cast<double>(count_) / (static_cast<double>(count_) - 1.0); }

  std::size_t dimension_;
  bool all_pairs_;
  const RowBatch* batch_ = nullptr;
  std::uint32_t count_ = 0;
  std::vector<double> sum_;       // of w g
  std::vector<double> weighted_;  // of w g g'
  std::vector<double> squared_;   // of w^2 g g'; not used while all weights are equal
  std::vector<double> tile_;
};

}  // namespace sgmcmc
