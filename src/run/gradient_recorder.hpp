// The points at which a sampler takes gradients, and what it is given there: what Stein's identities need, at no cost.
#pragma once

#include "gradient/estimator.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace sgmcmc {

/// Points with an estimate of the gradient at each, from one chain. When there are too many, every second one is
/// forgotten, and fewer are taken from then on.
class RecordedGradients {
 public:
  /// most: points, an even number.
  RecordedGradients(std::size_t dimension, std::size_t most) : dimension_(dimension), most_(most) {}

  void add(std::span<const double> theta, std::span<const double> gradient) {
    if (seen_++ % stride_ != 0) return;
    if (count() == most_) thin();
    positions_.insert(positions_.end(), theta.begin(), theta.end());
    gradients_.insert(gradients_.end(), gradient.begin(), gradient.end());
  }

  std::size_t dimension() const { return dimension_; }
  std::size_t count() const { return positions_.size() / dimension_; }
  std::uint64_t stride() const { return stride_; }  ///< iterations from one point to the next
  std::span<const double> position(std::size_t k) const {
    return std::span(positions_).subspan(k * dimension_, dimension_);
  }
  std::span<const double> gradient(std::size_t k) const {
    return std::span(gradients_).subspan(k * dimension_, dimension_);
  }

 private:
  void thin() {
    const auto halve = [&](std::vector<double>& values) {
      for (std::size_t k = 1; 2 * k < most_; ++k)
        std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(2 * k * dimension_), dimension_,
                    values.begin() + static_cast<std::ptrdiff_t>(k * dimension_));
      values.resize(most_ / 2 * dimension_);
    };
    halve(positions_);
    halve(gradients_);
    stride_ *= 2;
  }

  std::size_t dimension_, most_;
  std::uint64_t seen_ = 0, stride_ = 1;
  std::vector<double> positions_, gradients_;
};

/// Hands every call on to another estimator, and records the first of every iteration: its point was made by earlier
/// minibatches, so that given the point the estimate is unbiased.
class GradientRecorder final : public GradientEstimator {
 public:
  GradientRecorder(std::unique_ptr<GradientEstimator> inner, RecordedGradients& to, std::uint64_t per_iteration)
      : inner_(std::move(inner)), to_(to), per_iteration_(per_iteration) {}

  std::size_t dimension() const override { return inner_->dimension(); }
  void estimate(std::span<const double> theta, std::uint64_t evaluation, std::span<double> gradient) override {
    inner_->estimate(theta, evaluation, gradient);
    see(theta, evaluation, gradient);
  }
  void estimate_again(std::span<const double> theta, std::uint64_t evaluation, std::span<double> gradient) override {
    inner_->estimate_again(theta, evaluation, gradient);
  }
  void estimate_with_variance(std::span<const double> theta, std::uint64_t evaluation, std::span<double> gradient,
                              std::span<double> variance) override {
    inner_->estimate_with_variance(theta, evaluation, gradient, variance);
    see(theta, evaluation, gradient);
  }
  double log_density(std::span<const double> theta, std::span<double> gradient) override {
    return inner_->log_density(theta, gradient);
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
  void prior_gradient(std::span<const double> theta, std::span<double> gradient) override {
    inner_->prior_gradient(theta, gradient);
  }
  double rows() const override { return inner_->rows(); }
  std::size_t batch_rows() const override { return inner_->batch_rows(); }
  std::span<const double> preferred_start() const override { return inner_->preferred_start(); }
  void visit_state(StateVisitor& visitor) override { inner_->visit_state(visitor); }

 private:
  void see(std::span<const double> theta, std::uint64_t evaluation, std::span<const double> gradient) {
    if (evaluation % per_iteration_ == 0) to_.add(theta, gradient);
  }

  std::unique_ptr<GradientEstimator> inner_;
  RecordedGradients& to_;
  std::uint64_t per_iteration_;
};

}  // namespace sgmcmc
