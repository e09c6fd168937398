// Second moments of per-row gradients over a minibatch, with which Fisher scoring scales its steps.
#pragma once

#include "base/memory.hpp"
#include "gradient/row_gradients.hpp"
#include "minibatch/row_batch.hpp"

#include <sgmcmc/minibatch.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace sgmcmc {

/// Sums of w_i g_i and of products of their elements. Holds no more than one block of per-row gradients at a time.
class RowProducts final : public RowBlockConsumer {
 public:
  /// blocks: sizes of blocks of coordinates; products are formed for all pairs within a block. Empty: squares only.
  RowProducts(std::size_t dimension, std::span<const std::size_t> blocks);

  void start(const RowBatch& batch);
  void consume(std::uint32_t position, std::uint32_t count, const double* rows, std::size_t stride) override;

  std::span<const double> sum() const { return {sum_.data(), dimension_}; }  ///< of w_i g_i

  /// Adds N times the covariance of a row's gradient, estimated from the batch (centred at the weighted mean if weights
  /// differ). `out` holds the lower triangle of a square by column for each block, or D variances.
  void add_information(std::int64_t rows, std::span<double> out) const;
  /// Adds the covariance of sum w_i g_i over the choice of the batch, in the same layout.
  void add_noise(std::int64_t rows, RowSampling sampling, std::span<double> out) const;

 private:
  /// Adds factor (products - sum sum' / divisor).
  void add_centred(double factor, const double* products, double divisor, std::span<double> out) const;
  /// Adds the products of the elements of every row.
  void add_products(const double* rows, std::uint32_t count, std::size_t stride, double* products) const;
  /// tile <- rows, each times factor(its weight).
  template <class Factor>
  const double* scaled(std::uint32_t position, std::uint32_t count, const double* rows, std::size_t stride,
                       Factor&& factor);

  std::size_t dimension_;
  std::vector<std::size_t> blocks_;
  const RowBatch* batch_ = nullptr;
  std::uint32_t count_ = 0;
  double weight_sum_ = 0, weight_squares_ = 0;  // if weights differ
  std::vector<double> sum_;         // of w g; padded to whole packs, like the buffers below if there are no blocks
  AlignedBuffer<double> weighted_;  // of w g g'; of g g' if weights are equal
  AlignedBuffer<double> squared_;   // of w^2 g g'; unused if weights are equal
  AlignedBuffer<double> tile_;
};

/// The same covariances as a factor F with F F' the covariance, for batches with fewer rows than coordinates: F is then
/// smaller than the D x D matrix. Keeps the gradients of one batch.
class RowColumns final : public RowBlockConsumer {
 public:
  explicit RowColumns(std::size_t dimension) : dimension_(dimension), sum_(dimension) {}

  void start(const RowBatch& batch);
  void consume(std::uint32_t position, std::uint32_t count, const double* rows, std::size_t stride) override;

  std::span<const double> sum() const { return sum_; }  ///< of w_i g_i

  /// Factor of N times the covariance of a row's gradient; n columns.
  void write_information(std::span<double> factor) const;
  /// Factor of the covariance of sum w_i g_i; n columns.
  void write_noise(std::int64_t rows, RowSampling sampling, std::span<double> factor) const;
  /// Factor of the sum of both, if weights are equal; n columns.
  void write_both(std::int64_t rows, RowSampling sampling, std::span<double> factor) const;

 private:
  double weight(std::size_t i) const { return batch_->weights ? batch_->weights[i] : batch_->uniform_weight; }
  /// Writes the columns a g_i - b (sum of w g), with (a, b) = scale(w_i).
  template <class Scale>
  void write(std::span<double> factor, Scale&& scale) const;

  std::size_t dimension_;
  const RowBatch* batch_ = nullptr;
  std::vector<double> rows_;  // gradients, one after another
  std::vector<double> sum_;
};

}  // namespace sgmcmc
