// Estimates the variance of a minibatch gradient from the spread of per-row gradients in the batch.
#pragma once

#include "minibatch/row_batch.hpp"
#include "plan/executor.hpp"

#include <sgmcmc/minibatch.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace sgmcmc {

/// Running mean and spread of w_i g_i over the rows of a batch (Welford), coordinate by coordinate.
class RowSpread final : public RowConsumer {
 public:
  explicit RowSpread(std::size_t dimension) : mean_(dimension), squares_(dimension) {}

  void start(const RowBatch& batch) {
    batch_ = &batch;
    count_ = 0;
    std::fill(mean_.begin(), mean_.end(), 0.0);
    std::fill(squares_.begin(), squares_.end(), 0.0);
  }

  void consume(std::uint32_t position, std::uint32_t count, const double* values, std::int64_t stride) override {
    for (std::size_t d = 0; d < mean_.size(); ++d) {
      const double* row = values + static_cast<std::int64_t>(d) * stride;
      for (std::uint32_t i = 0; i < count; ++i) {
        const double weight = batch_->weights ? batch_->weights[position + i] : batch_->uniform_weight;
        const double x = weight * row[i];
        const double delta = x - mean_[d];
        mean_[d] += delta / static_cast<double>(count_ + i + 1);
        squares_[d] += delta * (x - mean_[d]);
      }
    }
    count_ += count;
  }

  /// Variance of sum w_i g_i over the choice of the batch: n times the variance of one term, with the finite-population
  /// correction if rows do not repeat.
  void variance(std::int64_t rows, RowSampling sampling, std::span<double> out) const {
    const double n = static_cast<double>(count_);
    const bool repeats = sampling == RowSampling::with_replacement || sampling == RowSampling::weighted;
    const double correction = repeats ? 1.0 : 1.0 - n / static_cast<double>(rows);
    for (std::size_t d = 0; d < out.size(); ++d) out[d] = count_ < 2 ? 0.0 : correction * n * squares_[d] / (n - 1.0);
  }

 private:
  const RowBatch* batch_ = nullptr;
  std::uint32_t count_ = 0;
  std::vector<double> mean_;
  std::vector<double> squares_;
};

/// Estimates the variance of a gradient estimate from the per-row gradients (or gradient differences) of the batch.
class BatchVariance {
 public:
  BatchVariance(std::unique_ptr<Executor> each_row, std::size_t dimension)
      : each_row_(std::move(each_row)), spread_(dimension) {}

  void set_centre(std::span<const double> centre) { each_row_->set_point(Point::centre, centre); }

  void estimate(std::span<const double> theta, const RowBatch& batch, std::int64_t rows, RowSampling sampling,
                std::span<double> variance) {
    each_row_->set_point(Point::current, theta);
    spread_.start(batch);
    each_row_->run_rows(batch, spread_);
    spread_.variance(rows, sampling, variance);
  }

 private:
  std::unique_ptr<Executor> each_row_;
  RowSpread spread_;
};

}  // namespace sgmcmc
