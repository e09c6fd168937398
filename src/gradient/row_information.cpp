// Second moments of row gradients, accumulated one block of rows at a time (RowProducts), or as a factor whose columns
// are the centred rows (RowColumns).
#include "gradient/row_information.hpp"

#include "base/vector_loops.hpp"
#include "gradient/rank_update.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sgmcmc {
namespace {

std::size_t numbers_in(std::span<const std::size_t> blocks) {
  std::size_t numbers = 0;
  for (const std::size_t size : blocks) numbers += size * size;
  return numbers;
}

/// Bessel's correction: the mean is estimated from the same rows.
double corrected(double count) { return count / (count - 1.0); }

/// The same for weighted rows, from the sum of the weights and the sum of their squares.
double corrected(double sum, double squares) { return sum * sum > squares ? 1.0 / (1.0 - squares / (sum * sum)) : 0.0; }

/// Finite-population correction of the variance of a batch sum; 1 if rows can repeat.
double population_correction(double count, std::int64_t rows, RowSampling sampling) {
  const bool repeats = sampling == RowSampling::with_replacement || sampling == RowSampling::weighted;
  return repeats ? 1.0 : std::max(0.0, 1.0 - count / static_cast<double>(rows));
}

}  // namespace

RowProducts::RowProducts(std::size_t dimension, std::span<const std::size_t> blocks)
    : dimension_(dimension),
      blocks_(blocks.begin(), blocks.end()),
      sum_((dimension + 7) / 8 * 8),
      weighted_(blocks.empty() ? sum_.size() : numbers_in(blocks)) {}

void RowProducts::start(const RowBatch& batch) {
  batch_ = &batch;
  count_ = 0;
  weight_sum_ = weight_squares_ = 0.0;
  if (batch.weights && squared_.size() == 0) {
    squared_ = AlignedBuffer<double>(weighted_.size());
    tile_ = AlignedBuffer<double>(RowGradients::block_rows * sum_.size());
  }
  std::fill(sum_.begin(), sum_.end(), 0.0);
  std::fill_n(weighted_.data(), weighted_.size(), 0.0);
  std::fill_n(squared_.data(), squared_.size(), 0.0);
}

void RowProducts::add_products(const double* rows, std::uint32_t count, std::size_t stride, double* products) const {
  if (blocks_.empty()) return add_squares(rows, count, stride, products);
  for (const std::size_t size : blocks_) {
    add_pair_products(rows, count, stride, size, products);
    products += size * size;
    rows += size;
  }
}

template <class Factor>
const double* RowProducts::scaled(std::uint32_t position, std::uint32_t count, const double* rows, std::size_t stride,
                                  Factor&& factor) {
  for (std::uint32_t i = 0; i < count; ++i) {
    const double by = factor(batch_->weights[position + i]);
    double* to = tile_.data() + i * stride;
    const double* from = rows + i * stride;
    SGMCMC_INDEPENDENT_ITERATIONS()
    for (std::size_t d = 0; d < stride; ++d) to[d] = by * from[d];
  }
  return tile_.data();
}

void RowProducts::consume(std::uint32_t position, std::uint32_t count, const double* rows, std::size_t stride) {
  count_ += count;
  if (!batch_->weights) {
    add_sums(rows, count, stride, sum_.data());
    add_products(rows, count, stride, weighted_.data());
    if (count_ == batch_->count)
      for (double& sum : sum_) sum *= batch_->uniform_weight;
    return;
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    const double weight = batch_->weights[position + i];
    weight_sum_ += weight;
    weight_squares_ += weight * weight;
  }
  const double* by_root = scaled(position, count, rows, stride, [](double weight) { return std::sqrt(weight); });
  add_products(by_root, count, stride, weighted_.data());
  const double* by_weight = scaled(position, count, rows, stride, [](double weight) { return weight; });
  add_products(by_weight, count, stride, squared_.data());
  add_sums(by_weight, count, stride, sum_.data());
}

void RowProducts::add_centred(double factor, const double* products, double divisor, std::span<double> out) const {
  if (blocks_.empty()) {
    for (std::size_t d = 0; d < dimension_; ++d) out[d] += factor * (products[d] - sum_[d] * sum_[d] / divisor);
    return;
  }
  std::size_t square = 0, first = 0;
  for (const std::size_t size : blocks_) {
    const double* sum = sum_.data() + first;
    for (std::size_t c = 0; c < size; ++c) {
      const double along = sum[c] / divisor;
      const double* from = products + square + c * size;
      double* to = out.data() + square + c * size;
      SGMCMC_INDEPENDENT_ITERATIONS()
      for (std::size_t r = c; r < size; ++r) to[r] += factor * (from[r] - along * sum[r]);
    }
    square += size * size;
    first += size;
  }
}

void RowProducts::add_information(std::int64_t rows, std::span<double> out) const {
  if (count_ < 2) return;
  const double w = batch_->uniform_weight;
  if (batch_->weights)  // centred at the weighted mean: with sum / N instead, the result might not be positive
    add_centred(corrected(weight_sum_, weight_squares_), weighted_.data(), weight_sum_, out);
  else
    add_centred(corrected(count_) * w, weighted_.data(), static_cast<double>(rows) * w, out);
}

void RowProducts::add_noise(std::int64_t rows, RowSampling sampling, std::span<double> out) const {
  if (count_ < 2) return;
  const double n = count_, factor = population_correction(n, rows, sampling) * corrected(n);
  if (factor <= 0.0) return;
  const double w = batch_->uniform_weight;
  if (batch_->weights)
    add_centred(factor, squared_.data(), n, out);
  else
    add_centred(factor * w * w, weighted_.data(), n * w * w, out);
}

// ---------------------------------------------------------------------------------------------------------------------

void RowColumns::start(const RowBatch& batch) {
  batch_ = &batch;
  rows_.resize(dimension_ * batch.count);
  std::fill(sum_.begin(), sum_.end(), 0.0);
}

void RowColumns::consume(std::uint32_t position, std::uint32_t count, const double* rows, std::size_t stride) {
  for (std::uint32_t i = 0; i < count; ++i) {
    const double w = weight(position + i);
    const double* from = rows + i * stride;
    std::copy_n(from, dimension_, rows_.data() + (position + i) * dimension_);
    add_multiple({sum_.data(), dimension_}, w, {from, dimension_});
  }
}

template <class Scale>
void RowColumns::write(std::span<double> factor, Scale&& scale) const {
  for (std::size_t i = 0; i < batch_->count; ++i) {
    const auto [of_row, of_mean] = scale(weight(i));
    const double* row = rows_.data() + i * dimension_;
    double* column = factor.data() + i * dimension_;
    const double* sum = sum_.data();
    SGMCMC_INDEPENDENT_ITERATIONS()
    for (std::size_t d = 0; d < dimension_; ++d) column[d] = of_row * row[d] - of_mean * sum[d];
  }
  const auto rest = factor.subspan(batch_->count * dimension_);  // unused columns, if the batch is smaller than others
  std::fill(rest.begin(), rest.end(), 0.0);
}

void RowColumns::write_information(std::span<double> factor) const {
  const double n = batch_->count;
  double sum = 0.0, squares = 0.0;
  for (std::size_t i = 0; i < batch_->count; ++i) {
    sum += weight(i);
    squares += weight(i) * weight(i);
  }
  write(factor, [&](double w) {
    const double root = std::sqrt(n < 2 ? 0.0 : w * corrected(sum, squares));
    return std::pair(root, root / sum);
  });
}

void RowColumns::write_noise(std::int64_t rows, RowSampling sampling, std::span<double> factor) const {
  const double n = batch_->count;
  const double root = std::sqrt(n < 2 ? 0.0 : corrected(n) * population_correction(n, rows, sampling));
  write(factor, [&](double w) { return std::pair(root * w, root / n); });
}

void RowColumns::write_both(std::int64_t rows, RowSampling sampling, std::span<double> factor) const {
  const double n = batch_->count, w = batch_->uniform_weight;
  const double root = std::sqrt(n < 2 ? 0.0 : corrected(n) * w * (1.0 + w * population_correction(n, rows, sampling)));
  write(factor, [&](double) { return std::pair(root, root / (n * w)); });
}

}  // namespace sgmcmc
