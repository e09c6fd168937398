// Forwards every call to another estimator: the base class of estimators that observe the gradients of another.
#pragma once

#include "gradient/estimator.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <utility>

namespace sgmcmc {

/// The one place that lists all functions of an estimator. Forward a new function here and every derived class has it.
class ForwardingEstimator : public GradientEstimator {
 public:
  std::size_t dimension() const override { return inner_->dimension(); }
  void estimate(std::span<const double> theta, std::uint64_t evaluation, std::span<double> gradient) override {
    inner_->estimate(theta, evaluation, gradient);
    see(theta, evaluation, gradient);
  }
  void estimate_with_variance(std::span<const double> theta, std::uint64_t evaluation, std::span<double> gradient,
                              std::span<double> variance) override {
    inner_->estimate_with_variance(theta, evaluation, gradient, variance);
    see(theta, evaluation, gradient);
  }
  void estimate_with_information(std::span<const double> theta, std::uint64_t evaluation, std::span<double> gradient,
                                 std::span<const std::size_t> blocks, std::span<double> information) override {
    inner_->estimate_with_information(theta, evaluation, gradient, blocks, information);
    see(theta, evaluation, gradient);
  }
  std::size_t information_columns() const override { return inner_->information_columns(); }
  void estimate_with_information_factor(std::span<const double> theta, std::uint64_t evaluation,
                                        std::span<double> gradient, std::span<double> factor) override {
    inner_->estimate_with_information_factor(theta, evaluation, gradient, factor);
    see(theta, evaluation, gradient);
  }
  /// Not passed to see(): it reuses the minibatch of the last estimate, and theta may depend on that minibatch.
  void estimate_again(std::span<const double> theta, std::uint64_t evaluation, std::span<double> gradient) override {
    inner_->estimate_again(theta, evaluation, gradient);
  }
  double log_density(std::span<const double> theta, std::span<double> gradient) override {
    return inner_->log_density(theta, gradient);
  }
  void prior_gradient(std::span<const double> theta, std::span<double> gradient) override {
    inner_->prior_gradient(theta, gradient);
  }
  double rows() const override { return inner_->rows(); }
  std::size_t batch_rows() const override { return inner_->batch_rows(); }
  std::span<const double> preferred_start() const override { return inner_->preferred_start(); }
  void visit_state(StateVisitor& visitor) override { inner_->visit_state(visitor); }

 protected:
  explicit ForwardingEstimator(std::unique_ptr<GradientEstimator> inner) : inner_(std::move(inner)) {}

  /// Called with every estimate from a fresh minibatch.
  virtual void see(std::span<const double> theta, std::uint64_t evaluation, std::span<const double> gradient) = 0;

 private:
  std::unique_ptr<GradientEstimator> inner_;
};

}  // namespace sgmcmc
