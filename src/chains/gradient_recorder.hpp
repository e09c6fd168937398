// Records the points at which a sampler evaluates gradients, with the estimates, for Stein's identities.
#pragma once

#include "gradient/forwarding_estimator.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace sgmcmc {

/// Points with an estimate of the gradient at each, from one chain. At the limit, drops every second point and doubles
/// the stride.
class RecordedGradients {
 public:
  /// most: maximum number of points, even.
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

/// Records the first estimate of every iteration: its point depends on earlier minibatches only, so the estimate is
/// unbiased given the point.
class GradientRecorder final : public ForwardingEstimator {
 public:
  GradientRecorder(std::unique_ptr<GradientEstimator> inner, RecordedGradients& to, std::uint64_t per_iteration)
      : ForwardingEstimator(std::move(inner)), to_(to), per_iteration_(per_iteration) {}

 private:
  void see(std::span<const double> theta, std::uint64_t evaluation, std::span<const double> gradient) override {
    if (evaluation % per_iteration_ == 0) to_.add(theta, gradient);
  }

  RecordedGradients& to_;
  std::uint64_t per_iteration_;
};

}  // namespace sgmcmc
