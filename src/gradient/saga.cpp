// grad log p(theta) + sum_j g_j(a_j) + sum over S of w_i [g_i(theta) - g_i(a_i)], then a_i <- theta for i in S
// [thesis 3.3.1, Dubey 2016]. The g_j(a_j) are kept, N x D numbers; all a_j start at the first theta seen (one full
// pass).
#include "gradient/saga.hpp"

#include "gradient/row_spread.hpp"
#include "minibatch/minibatcher.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace sgmcmc {
namespace {

/// Writes per-row gradients row-major.
class RowMajorRows final : public RowConsumer {
 public:
  RowMajorRows(std::size_t dimension, double* to) : dimension_(dimension), to_(to) {}
  void consume(std::uint32_t position, std::uint32_t count, const double* values, std::int64_t stride) override {
    for (std::uint32_t i = 0; i < count; ++i) {
      double* row = to_ + (static_cast<std::size_t>(position) + i) * dimension_;
      for (std::size_t d = 0; d < dimension_; ++d) row[d] = values[static_cast<std::int64_t>(d) * stride + i];
    }
  }

 private:
  std::size_t dimension_;
  double* to_;
};

class SagaEstimator final : public GradientEstimator {
 public:
  SagaEstimator(std::shared_ptr<const LogPosterior> posterior, const GradientOptions& options, std::uint64_t seed,
                std::uint32_t chain)
      : posterior_(std::move(posterior)),
        sampling_(options.minibatch.sampling),
        rows_(posterior_->rows(), options.minibatch, seed, chain),
        prior_(posterior_->executor(ProgramKind::prior_gradient, {options.precision, options.tile_rows, nullptr})),
        each_row_(posterior_->executor(ProgramKind::row_gradients, {options.precision, options.tile_rows, nullptr})),
        total_(dimension()),
        fresh_(static_cast<std::size_t>(rows_.batch_size()) * dimension()),
        spread_(dimension()) {}

  std::size_t dimension() const override { return static_cast<std::size_t>(posterior_->dimension()); }

  void estimate(std::span<const double> theta, std::uint64_t evaluation, std::span<double> gradient) override {
    evaluate(theta, evaluation, gradient, {});
  }
  void estimate_with_variance(std::span<const double> theta, std::uint64_t evaluation, std::span<double> gradient,
                              std::span<double> variance) override {
    evaluate(theta, evaluation, gradient, variance);
  }
  void visit_state(StateVisitor& visitor) override {
    visitor.visit("row_gradients", table_);
    visitor.visit("sum_of_row_gradients", total_);
  }

 private:
  void evaluate(std::span<const double> theta, std::uint64_t evaluation, std::span<double> gradient,
                std::span<double> variance) {
    each_row_->set_point(Point::current, theta);
    const bool first = table_.empty();
    if (first) fill_table();
    const std::size_t size = dimension();
    prior_->set_point(Point::current, theta);
    prior_->run(RowBatch{}, gradient);
    for (std::size_t d = 0; d < size; ++d) gradient[d] += total_[d];

    const RowBatch& batch = rows_.batch(evaluation);
    RowMajorRows fresh(size, fresh_.data());
    each_row_->run_rows(batch, fresh);
    if (!variance.empty()) spread(batch, variance);
    for (std::uint32_t i = 0; i < batch.count; ++i) {
      const double weight = batch.weights ? batch.weights[i] : batch.uniform_weight;
      const double* now = fresh_.data() + i * size;
      const double* before = table_.data() + batch.row(i) * size;
      for (std::size_t d = 0; d < size; ++d) gradient[d] += weight * (now[d] - before[d]);
    }
    // One bad evaluation fails its step; written into the memory it would fail all that follow.
    for (std::size_t d = 0; d < size; ++d) {
      if (std::isfinite(gradient[d])) continue;
      if (first) table_.clear();
      return;
    }
    // Only now: a row that is in the batch twice counts twice with its old gradient.
    for (std::uint32_t i = 0; i < batch.count; ++i) {
      const double* now = fresh_.data() + i * size;
      double* before = table_.data() + batch.row(i) * size;
      for (std::size_t d = 0; d < size; ++d) {
        total_[d] += now[d] - before[d];
        before[d] = now[d];
      }
    }
  }

  void fill_table() {
    table_.resize(static_cast<std::size_t>(posterior_->rows()) * dimension());
    RowMajorRows all(dimension(), table_.data());
    each_row_->run_rows(posterior_->all_rows(), all);
    std::fill(total_.begin(), total_.end(), 0.0);
    for (std::size_t i = 0; i < table_.size(); ++i) total_[i % dimension()] += table_[i];
  }

  void spread(const RowBatch& batch, std::span<double> variance) {
    const std::size_t size = dimension();
    difference_.resize(size);
    spread_.start(batch);
    for (std::uint32_t i = 0; i < batch.count; ++i) {
      for (std::size_t d = 0; d < size; ++d) difference_[d] = fresh_[i * size + d] - table_[batch.row(i) * size + d];
      spread_.consume(i, 1, difference_.data(), 1);
    }
    spread_.variance(posterior_->rows(), sampling_, variance);
  }

  std::shared_ptr<const LogPosterior> posterior_;
  RowSampling sampling_;
  Minibatcher rows_;
  std::unique_ptr<Executor> prior_;
  std::unique_ptr<Executor> each_row_;
  std::vector<double> table_;
  std::vector<double> total_;
  std::vector<double> fresh_;
  std::vector<double> difference_;
  RowSpread spread_;
};

}  // namespace

std::unique_ptr<GradientEstimator> make_saga(std::shared_ptr<const LogPosterior> posterior,
                                             const GradientOptions& options, std::uint64_t seed, std::uint32_t chain) {
  return std::make_unique<SagaEstimator>(std::move(posterior), options, seed, chain);
}

}  // namespace sgmcmc
