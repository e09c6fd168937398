// Rank updates of second moments, one tile of rows at a time.
#include "gradient/row_information.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>

namespace sgmcmc {
namespace {

using Tile = Eigen::Map<const Eigen::MatrixXd, 0, Eigen::OuterStride<>>;  // rows of the batch x coordinates

}  // namespace

RowProducts::RowProducts(std::size_t dimension, bool all_pairs)
    : dimension_(dimension),
      all_pairs_(all_pairs),
      sum_(dimension),
      weighted_(all_pairs ? dimension * dimension : dimension) {}

void RowProducts::start(const RowBatch& batch) {
  batch_ = &batch;
  count_ = 0;
  std::fill(sum_.begin(), sum_.end(), 0.0);
  std::fill(weighted_.begin(), weighted_.end(), 0.0);
  if (batch.weights) squared_.assign(weighted_.size(), 0.0);
}

void RowProducts::add_products(double weight, const double* values, std::int64_t stride, std::uint32_t count,
                               std::vector<double>& products) const {
  const auto size = static_cast<Eigen::Index>(dimension_);
  const Tile tile(values, static_cast<Eigen::Index>(count), size, Eigen::OuterStride<>(stride));
  if (all_pairs_)
    Eigen::Map<Eigen::MatrixXd>(products.data(), size, size)
        .selfadjointView<Eigen::Lower>()
        .rankUpdate(tile.transpose(), weight);
  else
    for (Eigen::Index d = 0; d < size; ++d) products[static_cast<std::size_t>(d)] += weight * tile.col(d).squaredNorm();
}

void RowProducts::consume(std::uint32_t position, std::uint32_t count, const double* values, std::int64_t stride) {
  count_ += count;
  if (!batch_->weights) {
    const double weight = batch_->uniform_weight;
    for (std::size_t d = 0; d < dimension_; ++d) {
      const double* row = values + static_cast<std::int64_t>(d) * stride;
      double sum = 0.0;
      for (std::uint32_t i = 0; i < count; ++i) sum += row[i];
      sum_[d] += weight * sum;
    }
    add_products(weight, values, stride, count, weighted_);
    return;
  }
  tile_.resize(dimension_ * count);
  const auto scale = [&](auto factor) {
    for (std::size_t d = 0; d < dimension_; ++d)
      for (std::uint32_t i = 0; i < count; ++i)
        tile_[d * count + i] =
            factor(batch_->weights[position + i]) * values[static_cast<std::int64_t>(d) * stride + i];
  };
  scale([](double weight) { return std::sqrt(weight); });
  add_products(1.0, tile_.data(), count, count, weighted_);
  scale([](double weight) { return weight; });
  add_products(1.0, tile_.data(), count, count, squared_);
  for (std::size_t d = 0; d < dimension_; ++d)
    for (std::uint32_t i = 0; i < count; ++i) sum_[d] += tile_[d * count + i];
}

void RowProducts::add_centred(double factor, std::span<const double> products, double divisor,
                              std::span<double> out) const {
  if (!all_pairs_) {
    for (std::size_t d = 0; d < dimension_; ++d) out[d] += factor * (products[d] - sum_[d] * sum_[d] / divisor);
    return;
  }
  for (std::size_t c = 0; c < dimension_; ++c) {
    const double along = sum_[c] / divisor;
    for (std::size_t r = c; r < dimension_; ++r)
      out[c * dimension_ + r] += factor * (products[c * dimension_ + r] - along * sum_[r]);
  }
}

void RowProducts::add_information(std::int64_t rows, std::span<double> out) const {
  if (count_ < 2) return;
  add_centred(corrected_count(), weighted_, static_cast<double>(rows), out);
}

void RowProducts::add_noise(std::int64_t rows, RowSampling sampling, std::span<double> out) const {
  if (count_ < 2) return;
  const double n = static_cast<double>(count_);
  const bool repeats = sampling == RowSampling::with_replacement || sampling == RowSampling::weighted;
  const double correction = repeats ? 1.0 : 1.0 - n / static_cast<double>(rows);
  if (correction <= 0.0) return;
  if (batch_->weights) {
    add_centred(correction * corrected_count(), squared_, n, out);
    return;
  }
  // All weights w: the sum of w^2 g g' is w times that of w g g', and so is what is taken off.
  const double weight = batch_->uniform_weight;
  add_centred(correction * corrected_count() * weight, weighted_, n * weight, out);
}

}  // namespace sgmcmc
