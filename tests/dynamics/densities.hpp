// Log densities in closed form, for samplers that need values as well as gradients.
#pragma once

#include "gradient/estimator.hpp"

#include <sgmcmc/random.hpp>

#include <Eigen/Dense>

#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace sgmcmc::testing {

/// An exact log density: a function of (theta, gradient) that fills the gradient and returns the value.
class Density : public GradientEstimator {
 public:
  using Function = std::function<double(std::span<const double>, std::span<double>)>;
  Density(std::size_t dimension, Function function) : dimension_(dimension), function_(std::move(function)) {}

  std::size_t dimension() const override { return dimension_; }
  double log_density(std::span<const double> theta, std::span<double> gradient) override {
    ++evaluations;
    return function_(theta, gradient);
  }
  void estimate(std::span<const double> theta, std::uint64_t, std::span<double> gradient) override {
    function_(theta, gradient);
  }
  void estimate_with_variance(std::span<const double>, std::uint64_t, std::span<double>, std::span<double>) override {}

  std::uint64_t evaluations = 0;

 private:
  std::size_t dimension_;
  Function function_;
};

/// N(0, covariance), and draws from it.
struct GaussianDensity {
  Eigen::MatrixXd covariance, precision, factor;

  explicit GaussianDensity(Eigen::MatrixXd sigma)
      : covariance(std::move(sigma)), precision(covariance.inverse()), factor(covariance.llt().matrixL()) {}

  std::size_t dimension() const { return static_cast<std::size_t>(covariance.rows()); }
  Density density() const {
    return {dimension(), [p = precision](std::span<const double> theta, std::span<double> gradient) {
              const auto size = static_cast<Eigen::Index>(theta.size());
              const Eigen::Map<const Eigen::VectorXd> x(theta.data(), size);
              Eigen::Map<Eigen::VectorXd> g(gradient.data(), size);
              g.noalias() = p * x;
              g = -g;
              return 0.5 * x.dot(g);
            }};
  }
  std::vector<double> draw(std::uint64_t number) const {
    std::vector<double> theta(dimension());
    fill_normal({31, 0, number, Purpose::data}, theta);
    Eigen::Map<Eigen::VectorXd> x(theta.data(), covariance.rows());
    x = (factor * x).eval();
    return theta;
  }
};

/// Three correlated coordinates with scales 1, 2 and 0.7.
inline GaussianDensity correlated_gaussian() {
  Eigen::MatrixXd sigma(3, 3);
  sigma << 1.0, 1.2, 0.1, 1.2, 4.0, -0.5, 0.1, -0.5, 0.49;
  return GaussianDensity(sigma);
}

/// x ~ N(0, 1), y given x ~ N(x^2 - 1, 0.5).
inline Density bent_density() {
  return {2, [](std::span<const double> theta, std::span<double> gradient) {
            const double x = theta[0], rest = theta[1] - (x * x - 1.0);
            gradient[0] = -x + 4.0 * x * 2.0 * rest;
            gradient[1] = -4.0 * rest;
            return -0.5 * x * x - 2.0 * rest * rest;
          }};
}

/// Exponential of rate 1 on the half line, without a transform: the density is 0 below 0.
inline Density wall_density() {
  return {1, [](std::span<const double> theta, std::span<double> gradient) {
            gradient[0] = -1.0;
            return theta[0] < 0.0 ? -std::numeric_limits<double>::infinity() : -theta[0];
          }};
}

}  // namespace sgmcmc::testing
