// grad log p(theta) + sum_j g_j(a_j) + sum over S of w_i [g_i(theta) - g_i(a_i)], then a_i <- theta for i in S [thesis
// 3.3.1, Dubey 2016]. A table holds the g_j(a_j), N x D numbers. All a_j start at the first theta (one full pass).
#include "gradient/saga.hpp"

#include "base/vector_loops.hpp"
#include "gradient/model_estimator.hpp"
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

class SagaEstimator final : public ModelEstimator {
 public:
  SagaEstimator(std::shared_ptr<const LogPosterior> posterior, const GradientOptions& options, std::uint64_t seed,
                std::uint32_t chain)
      : ModelEstimator(std::move(posterior), {options.precision, options.tile_rows, nullptr}),
        sampling_(options.minibatch.sampling),
        rows_(posterior_->rows(), options.minibatch, seed, chain),
        each_row_(posterior_->executor(ProgramKind::row_gradients, executor_options_)),
        total_(dimension()),
        kept_(dimension()),
        fresh_(static_cast<std::size_t>(rows_.batch_size()) * dimension()),
        spread_(dimension()) {}

  void estimate(std::span<const double> theta, std::uint64_t evaluation, std::span<double> gradient) override {
    evaluate(theta, evaluation, gradient, [] {});
  }
  void estimate_again(std::span<const double> theta, std::uint64_t evaluation, std::span<double> gradient) override {
    each_row_->set_point(Point::current, theta);
    prior_gradient(theta, gradient);
    add_multiple(gradient, 1.0, kept_);
    const RowBatch& batch = rows_.batch(evaluation);
    RowMajorRows fresh(dimension(), fresh_.data());
    each_row_->run_rows(batch, fresh);
    for (std::uint32_t i = 0; i < batch.count; ++i) {
      const double weight = batch.weights ? batch.weights[i] : batch.uniform_weight;
      add_multiple(gradient, weight, {fresh_.data() + i * dimension(), dimension()});
    }
  }
  void estimate_with_variance(std::span<const double> theta, std::uint64_t evaluation, std::span<double> gradient,
                              std::span<double> variance) override {
    evaluate(theta, evaluation, gradient, [&] {
      visit_differences(rows_.batch(evaluation), spread_);
      spread_.variance(posterior_->rows(), sampling_, variance);
    });
  }
  void estimate_with_information(std::span<const double> theta, std::uint64_t evaluation, std::span<double> gradient,
                                 std::span<const std::size_t> blocks, std::span<double> information) override {
    std::fill(information.begin(), information.end(), 0.0);
    const RowBatch& batch = rows_.batch(evaluation);
    row_products(theta, batch, blocks).add_information(posterior_->rows(), information);
    if (!differences_) differences_.emplace(dimension(), blocks);
    evaluate(theta, evaluation, gradient, [&] { visit_difference_rows(batch, *differences_); });
    differences_->add_noise(posterior_->rows(), sampling_, information);
  }
  std::size_t batch_rows() const override { return static_cast<std::size_t>(rows_.batch_size()); }
  std::size_t information_columns() const override { return 2 * batch_rows(); }
  void estimate_with_information_factor(std::span<const double> theta, std::uint64_t evaluation,
                                        std::span<double> gradient, std::span<double> factor) override {
    const RowBatch& batch = rows_.batch(evaluation);
    row_columns(theta, batch).write_information(factor.first(factor.size() / 2));
    if (!difference_columns_) difference_columns_.emplace(dimension());
    evaluate(theta, evaluation, gradient, [&] { visit_difference_rows(batch, *difference_columns_); });
    difference_columns_->write_noise(posterior_->rows(), sampling_, factor.last(factor.size() / 2));
  }
  void visit_state(StateVisitor& visitor) override {
    visitor.visit("row_gradients", table_);
    visitor.visit("sum_of_row_gradients", total_);
  }

 private:
  /// look() is called once the batch's gradients are computed and before the table is updated.
  template <class Look>
  void evaluate(std::span<const double> theta, std::uint64_t evaluation, std::span<double> gradient, Look&& look) {
    each_row_->set_point(Point::current, theta);
    const bool first = table_.empty();
    if (first) fill_table();
    const std::size_t size = dimension();
    prior_gradient(theta, gradient);
    add_multiple(gradient, 1.0, total_);
    kept_ = total_;

    const RowBatch& batch = rows_.batch(evaluation);
    RowMajorRows fresh(size, fresh_.data());
    each_row_->run_rows(batch, fresh);
    look();
    for (std::uint32_t i = 0; i < batch.count; ++i) {
      const double weight = batch.weights ? batch.weights[i] : batch.uniform_weight;
      const double* now = fresh_.data() + i * size;
      const double* before = table_.data() + batch.row(i) * size;
      double *sum = gradient.data(), *kept = kept_.data();
      SGMCMC_INDEPENDENT_ITERATIONS()
      for (std::size_t d = 0; d < size; ++d) {
        sum[d] += weight * (now[d] - before[d]);
        kept[d] -= weight * before[d];
      }
    }
    // A non-finite gradient fails this step only. Written into the table, it would fail all later steps.
    for (std::size_t d = 0; d < size; ++d) {
      if (std::isfinite(gradient[d])) continue;
      if (first) table_.clear();
      return;
    }
    // Update the table only now: a row that is in the batch twice must use its old gradient both times.
    for (std::uint32_t i = 0; i < batch.count; ++i) {
      const double* now = fresh_.data() + i * size;
      double *before = table_.data() + batch.row(i) * size, *total = total_.data();
      SGMCMC_INDEPENDENT_ITERATIONS()
      for (std::size_t d = 0; d < size; ++d) {
        total[d] += now[d] - before[d];
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

  /// Passes on the differences between the rows' gradients and those in the table, coordinate by coordinate.
  template <class Consumer>
  void visit_differences(const RowBatch& batch, Consumer& consumer) {
    const std::size_t size = dimension();
    difference_.resize(size * batch.count);
    for (std::uint32_t i = 0; i < batch.count; ++i)
      for (std::size_t d = 0; d < size; ++d)
        difference_[d * batch.count + i] = fresh_[i * size + d] - table_[batch.row(i) * size + d];
    consumer.start(batch);
    consumer.consume(0, batch.count, difference_.data(), batch.count);
  }

  /// The same row by row, in blocks.
  template <class Consumer>
  void visit_difference_rows(const RowBatch& batch, Consumer& consumer) {
    const std::size_t size = dimension(), stride = (size + 7) / 8 * 8;
    if (difference_rows_.size() == 0) difference_rows_ = AlignedBuffer<double>(RowGradients::block_rows * stride);
    consumer.start(batch);
    for (std::uint32_t first = 0; first < batch.count; first += RowGradients::block_rows) {
      const std::uint32_t count = std::min(RowGradients::block_rows, batch.count - first);
      for (std::uint32_t i = 0; i < count; ++i) {
        const double* now = fresh_.data() + (first + i) * size;
        const double* before = table_.data() + batch.row(first + i) * size;
        double* difference = difference_rows_.data() + i * stride;
        SGMCMC_INDEPENDENT_ITERATIONS()
        for (std::size_t d = 0; d < size; ++d) difference[d] = now[d] - before[d];
      }
      consumer.consume(first, count, difference_rows_.data(), stride);
    }
  }

  RowSampling sampling_;
  Minibatcher rows_;
  std::unique_ptr<Executor> each_row_;
  std::optional<RowProducts> differences_;
  std::optional<RowColumns> difference_columns_;
  std::vector<double> table_;
  std::vector<double> total_;
  std::vector<double> kept_;  // the table's contribution to the last estimate, used by estimate_again()
  std::vector<double> fresh_;
  std::vector<double> difference_;
  AlignedBuffer<double> difference_rows_;
  RowSpread spread_;
};

}  // namespace

std::unique_ptr<GradientEstimator> make_saga(std::shared_ptr<const LogPosterior> posterior,
                                             const GradientOptions& options, std::uint64_t seed, std::uint32_t chain) {
  return std::make_unique<SagaEstimator>(std::move(posterior), options, seed, chain);
}

}  // namespace sgmcmc
