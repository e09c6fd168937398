// What the estimators of a model's gradient share.
#pragma once

#include "gradient/estimator.hpp"
#include "gradient/row_information.hpp"
#include "model/log_posterior.hpp"

#include <memory>
#include <optional>
#include <span>

namespace sgmcmc {

class ModelEstimator : public GradientEstimator {
 public:
  ModelEstimator(std::shared_ptr<const LogPosterior> posterior, const ExecutorOptions& options)
      : posterior_(std::move(posterior)), executor_options_(options) {}

  std::size_t dimension() const final { return static_cast<std::size_t>(posterior_->dimension()); }
  double rows() const final { return static_cast<double>(posterior_->rows()); }

  void prior_gradient(std::span<const double> theta, std::span<double> gradient) final {
    if (!prior_) prior_ = posterior_->executor(ProgramKind::prior_gradient, executor_options_);
    prior_->set_point(Point::current, theta);
    prior_->run(RowBatch{}, gradient);
  }

 protected:
  /// The products of the gradients at theta of the batch's rows.
  const RowProducts& row_products(std::span<const double> theta, const RowBatch& batch, bool all_pairs) {
    if (!each_row_) each_row_ = posterior_->executor(ProgramKind::row_gradients, executor_options_);
    if (!products_) products_.emplace(dimension(), all_pairs);
    each_row_->set_point(Point::current, theta);
    products_->start(batch);
    each_row_->run_rows(batch, *products_);
    return *products_;
  }
  bool wants_all_pairs(std::span<const double> information) const { return information.size() > dimension(); }

  std::shared_ptr<const LogPosterior> posterior_;
  ExecutorOptions executor_options_;

 private:
  std::unique_ptr<Executor> prior_, each_row_;
  std::optional<RowProducts> products_;
};

}  // namespace sgmcmc
