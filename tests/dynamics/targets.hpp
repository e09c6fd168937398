// Analytic targets for testing samplers, with many independent copies, so that one chain gives many replicates.
#pragma once

#include "gradient/estimator.hpp"

#include <sgmcmc/random.hpp>

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace sgmcmc::testing {

/// A gradient in closed form plus Gaussian noise of known variance, drawn independently for every evaluation.
class AnalyticTarget : public GradientEstimator {
 public:
  AnalyticTarget(std::size_t dimension, double noise_variance)
      : noise_variance_(noise_variance), noise_(noise_variance > 0.0 ? dimension : 0), dimension_(dimension) {}

  std::size_t dimension() const override { return dimension_; }

  void estimate(std::span<const double> theta, std::uint64_t evaluation, std::span<double> gradient) override {
    ++evaluations_;
    exact_gradient(theta, gradient);
    if (noise_.empty()) return;
    fill_normal({77, 0, evaluation, static_cast<Purpose>(1001)}, noise_);
    const double scale = std::sqrt(noise_variance_);
    for (std::size_t j = 0; j < dimension_; ++j) gradient[j] += scale * noise_[j];
  }

  void estimate_with_variance(std::span<const double> theta, std::uint64_t evaluation, std::span<double> gradient,
                              std::span<double> variance) override {
    estimate(theta, evaluation, gradient);
    for (double& v : variance) v = noise_variance_;
  }

  virtual void exact_gradient(std::span<const double> theta, std::span<double> gradient) const = 0;
  std::uint64_t evaluations() const { return evaluations_; }

 private:
  double noise_variance_;
  std::vector<double> noise_;
  std::size_t dimension_;
  std::uint64_t evaluations_ = 0;
};

/// Independent N(0, 1 / precision[j]).
class GaussianTarget : public AnalyticTarget {
 public:
  GaussianTarget(std::vector<double> precision, double noise_variance)
      : AnalyticTarget(precision.size(), noise_variance), precision_(std::move(precision)) {}
  void exact_gradient(std::span<const double> theta, std::span<double> gradient) const override {
    for (std::size_t j = 0; j < theta.size(); ++j) gradient[j] = -precision_[j] * theta[j];
  }

 private:
  std::vector<double> precision_;
};

/// Copies of a one-dimensional log density, given its derivative.
template <class Score>
class ScalarTarget : public AnalyticTarget {
 public:
  ScalarTarget(std::size_t copies, double noise_variance, Score score)
      : AnalyticTarget(copies, noise_variance), score_(score) {}
  void exact_gradient(std::span<const double> theta, std::span<double> gradient) const override {
    for (std::size_t j = 0; j < theta.size(); ++j) gradient[j] = score_(theta[j]);
  }

 private:
  Score score_;
};

/// Location of Student t observations (4 degrees of freedom, scale 1) under a flat prior.
struct StudentLocation {
  static constexpr double data[5] = {-1.5, 0.2, 0.4, 1.0, 4.0};
  double log_density(double theta) const {
    double sum = 0.0;
    for (const double x : data) sum -= 2.5 * std::log1p((x - theta) * (x - theta) / 4.0);
    return sum;
  }
  double operator()(double theta) const {
    double sum = 0.0;
    for (const double x : data) sum += 5.0 * (x - theta) / (4.0 + (x - theta) * (x - theta));
    return sum;
  }
};

/// 0.6 N(-1, 0.8^2) + 0.4 N(1.2, 0.6^2): two modes with a shallow valley between.
struct TwoNormals {
  double log_density(double theta) const { return std::log(left(theta) + right(theta)); }
  double operator()(double theta) const {
    const double l = left(theta), r = right(theta);
    return (-l * (theta + 1.0) / 0.64 - r * (theta - 1.2) / 0.36) / (l + r);
  }

 private:
  static double left(double theta) { return 0.6 / 0.8 * std::exp(-0.5 * (theta + 1.0) * (theta + 1.0) / 0.64); }
  static double right(double theta) { return 0.4 / 0.6 * std::exp(-0.5 * (theta - 1.2) * (theta - 1.2) / 0.36); }
};

/// log of a Gamma(shape, 1) variable. jacobian = false omits the Jacobian of the transform.
struct LogGamma {
  double shape = 3.0;
  bool jacobian = true;
  double operator()(double theta) const { return (jacobian ? shape : shape - 1.0) - std::exp(theta); }
};

/// Copies of (x, y): x ~ N(0, 1), y given x ~ N(bend (x^2 - 1), 1).
class BananaTarget : public AnalyticTarget {
 public:
  static constexpr double bend = 0.4;
  BananaTarget(std::size_t copies, double noise_variance) : AnalyticTarget(2 * copies, noise_variance) {}
  void exact_gradient(std::span<const double> theta, std::span<double> gradient) const override {
    for (std::size_t j = 0; j < theta.size(); j += 2) {
      const double x = theta[j], rest = theta[j + 1] - bend * (x * x - 1.0);
      gradient[j] = -x + 2.0 * bend * x * rest;
      gradient[j + 1] = -rest;
    }
  }
};

/// Copies of a logistic regression with two coefficients, 200 rows and a N(0, 1) prior; each copy draws its own
/// minibatch.
class LogisticTarget : public GradientEstimator {
 public:
  static constexpr std::size_t rows = 200;
  static constexpr std::size_t batch = 40;

  /// scale_twice multiplies the minibatch sum by (N / n)^2, a common mistake.
  explicit LogisticTarget(std::size_t copies, bool scale_twice = false)
      : copies_(copies), picked_(copies * batch), x_(2 * rows), y_(rows) {
    const double ratio = static_cast<double>(rows) / static_cast<double>(batch);
    weight_ = scale_twice ? ratio * ratio : ratio;
    std::vector<double> uniform(rows);
    fill_normal({5, 0, 0, Purpose::data}, x_);
    fill_uniform({5, 0, 1, Purpose::data}, uniform);
    for (std::size_t i = 0; i < rows; ++i)
      y_[i] = uniform[i] < 1.0 / (1.0 + std::exp(-x_[2 * i] + 0.5 * x_[2 * i + 1])) ? 1.0 : 0.0;
  }

  std::size_t dimension() const override { return 2 * copies_; }

  void estimate(std::span<const double> theta, std::uint64_t evaluation, std::span<double> gradient) override {
    fill_below({99, 0, evaluation, Purpose::minibatch}, rows, picked_);
    for (std::size_t c = 0; c < copies_; ++c) {
      const double a = theta[2 * c], b = theta[2 * c + 1];
      double sum_a = 0.0, sum_b = 0.0;
      for (std::size_t k = 0; k < batch; ++k) {
        const std::size_t i = picked_[c * batch + k];
        const double u = x_[2 * i], v = x_[2 * i + 1];
        const double residual = y_[i] - 1.0 / (1.0 + std::exp(-a * u - b * v));
        sum_a += residual * u;
        sum_b += residual * v;
      }
      gradient[2 * c] = weight_ * sum_a - a;
      gradient[2 * c + 1] = weight_ * sum_b - b;
    }
  }
  void estimate_with_variance(std::span<const double>, std::uint64_t, std::span<double>, std::span<double>) override {}

  double log_density(double a, double b) const {
    double sum = -0.5 * (a * a + b * b);
    for (std::size_t i = 0; i < rows; ++i) {
      const double eta = a * x_[2 * i] + b * x_[2 * i + 1];
      sum += y_[i] * eta - std::log1p(std::exp(eta));
    }
    return sum;
  }

 private:
  std::size_t copies_;
  double weight_;
  std::vector<std::uint32_t> picked_;
  std::vector<double> x_, y_;
};

}  // namespace sgmcmc::testing
