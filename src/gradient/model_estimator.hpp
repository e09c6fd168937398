// Base class of the estimators of a model's gradient.
#pragma once

#include "gradient/estimator.hpp"
#include "gradient/row_information.hpp"
#include "model/log_posterior.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>

namespace sgmcmc {

class ModelEstimator : public GradientEstimator {
 public:
  ModelEstimator(std::shared_ptr<const LogPosterior> posterior, const ExecutorOptions& options)
      : posterior_(std::move(posterior)), executor_options_(options) {}

  std::size_t dimension() const final { return static_cast<std::size_t>(posterior_->dimension()); }
  double rows() const final { return has_rows() ? static_cast<double>(posterior_->rows()) : 1.0; }

  void prior_gradient(std::span<const double> theta, std::span<double> gradient) final {
    if (!has_rows()) {  // the whole log posterior counts as one row
      std::fill(gradient.begin(), gradient.end(), 0.0);
      return;
    }
    if (!prior_) prior_ = posterior_->executor(ProgramKind::prior_gradient, executor_options_);
    prior_->set_point(Point::current, theta);
    prior_->run(RowBatch{}, gradient);
  }

 protected:
  bool has_rows() const { return static_cast<bool>(posterior_->model().row_log_likelihood()); }

  /// Sums of products of the gradients at theta of the batch's rows. Every call must pass the same blocks.
  const RowProducts& row_products(std::span<const double> theta, const RowBatch& batch,
                                  std::span<const std::size_t> blocks) {
    if (!products_) products_.emplace(dimension(), blocks);
    visit_rows(theta, batch, *products_);
    return *products_;
  }
  /// The individual gradients of those rows.
  const RowColumns& row_columns(std::span<const double> theta, const RowBatch& batch) {
    if (!columns_) columns_.emplace(dimension());
    visit_rows(theta, batch, *columns_);
    return *columns_;
  }

  std::shared_ptr<const LogPosterior> posterior_;
  ExecutorOptions executor_options_;

 private:
  template <class Consumer>
  void visit_rows(std::span<const double> theta, const RowBatch& batch, Consumer& consumer) {
    if (!each_row_) each_row_.emplace(*posterior_, ProgramKind::row_gradients, executor_options_);
    each_row_->set_point(Point::current, theta);
    consumer.start(batch);
    each_row_->visit(batch, consumer);
  }

  std::unique_ptr<Executor> prior_;
  std::optional<RowGradients> each_row_;
  std::optional<RowProducts> products_;
  std::optional<RowColumns> columns_;
};

}  // namespace sgmcmc
