// grad log p(theta) + sum_j g_j(a_j) + sum over S of w_i [g_i(theta) - g_i(a_i)], then a_i <- theta for i in S
// [thesis 3.3.1, Dubey 2016]. The g_j(a_j) are kept, N x D numbers; all a_j start at the first theta seen (one full
// pass).
#include "gradient/saga.hpp"

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
        fresh_(static_cast<std::size_t>(rows_.batch_size()) * dimension()),
        spread_(dimension()) {}

  void estimate(std::span<const double> theta, std::uint64_t evaluation, std::span<double> gradient) override {
    evaluate(theta, evaluation, gradient, {});
  }
  void estimate_with_variance(std::span<const double> theta, std::uint64_t evaluation, std::span<double> gradient,
                              std::span<double> variance) override {
    evaluate(theta, evaluation, gradient, variance);
  }
  void estimate_with_information(std::span<const double> theta, std::uint64_t evaluation, std::span<double> gradient,
                                 std::span<double> information) override {
    std::fill(information.begin(), information.end(), 0.0);
    const RowBatch& batch = rows_.batch(evaluation);
    row_products(theta, batch, wants_all_pairs(information)).add_information(posterior_->rows(), information);
    if (!differences_) differences_.emplace(dimension(), wants_all_pairs(information));
    evaluate(theta, evaluation, gradient, {}, &*differences_);
    differences_->add_noise(posterior_->rows(), sampling_, information);
  }
  void visit_state(StateVisitor& visitor) override {
    visitor.visit("row_gradients", table_);
    visitor.visit("sum_of_row_gradients", total_);
  }

 private:
  void evaluate(std::span<const double> theta, std::uint64_t evaluation, std::span<double> gradient,
                std::span<double> variance, RowProducts* products = nullptr) {
    each_row_->set_point(Point::current, theta);
    const bool first = table_.empty();
    if (first) fill_table();
    const std::size_t size = dimension();
    prior_gradient(theta, gradient);
    for (std::size_t d = 0; d < size; ++d) gradient[d] += total_[d];

    const RowBatch& batch = rows_.batch(evaluation);
    RowMajorRows fresh(size, fresh_.data());
    each_row_->run_rows(batch, fresh);
    if (!variance.empty()) {
      visit_differences(batch, spread_);
      spread_.variance(posterior_->rows(), sampling_, variance);
    }
    if (products) visit_differences(batch, *products);
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

  /// Hands on the rows' differences from what the table holds of them, by coordinate.
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

  RowSampling sampling_;
  Minibatcher rows_;
  std::unique_ptr<Executor> each_row_;
  std::optional<RowProducts> differences_;
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
