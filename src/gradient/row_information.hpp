// Second moments of per-row gradients over a minibatch: what Fisher scoring weighs its steps with.
#pragma once

#include "base/memory.hpp"
#include "gradient/row_gradients.hpp"
#include "minibatch/row_batch.hpp"

#include <sgmcmc/minibatch.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace sgmcmc {

/// Sums of w_i g_i and of products of their elements, reduced block by block: never more than one block of
/// per-row gradients is kept.
class RowProducts final : public RowBlockConsumer {
 public:
  /// blocks: sizes of blocks of coordinates, within which all pairs are looked at; none: each coordinate by itself.
  RowProducts(std::size_t dimension, std::span<const std::size_t> blocks);

  void start(const RowBatch& batch);
  void consume(std::uint32_t position, std::uint32_t count, const double* rows, std::size_t stride) override;

  std::span<const double> sum() const { return {sum_.data(), dimension_}; }  ///< of w_i g_i

  /// Adds N times the covariance of a row's gradient, as estimated from the batch (with unequal weights about the
  /// weighted mean): to the lower triangle of a square by column for each block, or to D variances.
  void add_information(std::int64_t rows, std::span<double> out) const;
  /// Adds the covariance of sum w_i g_i over the choice of the batch, in the same shape.
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
  double weight_sum_ = 0, weight_squares_ = 0;  // where weights are not equal
  std::vector<double> sum_;         // of w g; padded to whole packs, as are the others where they are not squares
  AlignedBuffer<double> weighted_;  // of w g g'; of g g' while all weights are equal
  AlignedBuffer<double> squared_;   // of w^2 g g'; not used then
  AlignedBuffer<double> tile_;
};

/// The same as columns of a matrix F with F F' the covariance: for batches of fewer rows than there are coordinates,
/// where products of all pairs would cost more than they say. Keeps the gradients of one batch.
class RowColumns final : public RowBlockConsumer {
 public:
  explicit RowColumns(std::size_t dimension) : dimension_(dimension), sum_(dimension) {}

  void start(const RowBatch& batch);
  void consume(std::uint32_t position, std::uint32_t count, const double* rows, std::size_t stride) override;

  std::span<const double> sum() const { return sum_; }  ///< of w_i g_i

  /// N times the covariance of a row's gradient; n columns.
  void write_information(std::span<double> factor) const;
  /// The covariance of sum w_i g_i; n columns.
  void write_noise(std::int64_t rows, RowSampling sampling, std::span<double> factor) const;
  /// The sum of both, where weights are equal; n columns.
  void write_both(std::int64_t rows, RowSampling sampling, std::span<double> factor) const;

 private:
  double weight(std::size_t i) const { return batch_->weights ? batch_->weights[i] : batch_->uniform_weight; }
  /// Columns a g_i - b (sum of w g), with (a, b) = scale(w_i).
  template <class Scale>
  void write(std::span<double> factor, Scale&& scale) const;

  std::size_t dimension_;
  const RowBatch* batch_ = nullptr;
  std::vector<double> rows_;  // gradients, one after another
  std::vector<double> sum_;
};

}  // namespace sgmcmc
